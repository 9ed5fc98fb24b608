/** The live sessions of this home that turns of other machines go through: one for a conversation, as long as it is used. */
import { Effect, RcMap, type Scope, Stream } from "effect"
import { resultOfNothing } from "../agents/engine/result.ts"
import { AgentError, InvalidParams } from "../contract/AgentError.ts"
import type { AgentSession } from "../contract/AgentSession.ts"
import type { ConversationOpenParams } from "../contract/TurnParams.ts"
import type { Sessions } from "../conversations/Sessions.ts"
import type { Places } from "../conversations/turns/places.ts"

const idle = "10 minutes"

interface Wanted {
  readonly sessions: Sessions["Service"]
  readonly params: ConversationOpenParams
}

export interface LiveSessions {
  /** The one that is open with these parameters, or a new one; in use until the scope closes. */
  readonly get: (lane: string, wanted: Wanted) => Effect.Effect<AgentSession, AgentError, Scope.Scope>
  readonly present: (lane: string) => AgentSession | undefined
  readonly close: (lane: string) => Effect.Effect<void>
}

/** All are closed with the scope. */
export const makeLiveSessions = Effect.fnUntraced(function* (places: Pick<Places, "keep">) {
  const wanted = new Map<string, Wanted>()
  const open = new Map<string, AgentSession>()
  const lookup = Effect.fnUntraced(function* (lane: string) {
    const asked = wanted.get(lane)
    if (asked === undefined) {
      const reason = new InvalidParams({ option: "conversation", problem: "has no live session" })
      return yield* new AgentError({ cli: "", reason, result: resultOfNothing(reason), hadOutput: false })
    }
    yield* Effect.addFinalizer(() => Effect.sync(() => open.delete(lane)))
    const opened = yield* places.keep(lane)
    const session = yield* asked.sessions.open(asked.params)
    opened(session)
    open.set(lane, session)
    // One that has ended, also for another who asked for its conversation, is not gone on with.
    yield* Stream.runDrain(session.events).pipe(
      Effect.andThen(Effect.suspend(() => RcMap.invalidate(sessions, lane))),
      Effect.forkScoped({ startImmediately: true })
    )
    return session
  })
  const sessions: RcMap.RcMap<string, AgentSession, AgentError> = yield* RcMap.make({ lookup, idleTimeToLive: idle })

  const close = (lane: string) =>
    Effect.andThen(
      Effect.sync(() => wanted.delete(lane)),
      RcMap.invalidate(sessions, lane)
    )

  const live: LiveSessions = {
    present: (lane) => open.get(lane),
    close,
    get: (lane, asked) =>
      Effect.gen(function* () {
        const before = wanted.get(lane)
        const isSame = before !== undefined && JSON.stringify(before.params) === JSON.stringify(asked.params)
        if (!isSame) yield* close(lane)
        wanted.set(lane, asked)
        return yield* Effect.tapError(RcMap.get(sessions, lane), () => RcMap.invalidate(sessions, lane))
      })
  }
  return live
})
