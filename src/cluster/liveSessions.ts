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
  readonly get: (lane: string, requests: Wanted) => Effect.Effect<AgentSession, AgentError, Scope.Scope>
  readonly present: (lane: string) => AgentSession | undefined
  readonly close: (lane: string) => Effect.Effect<void>
}

/** All are closed with the scope. */
export const makeLiveSessions = Effect.fnUntraced(function* (places: Pick<Places, "keep">) {
  const requests = new Map<string, Wanted>()
  const open = new Map<string, AgentSession>()
  const lookup = Effect.fnUntraced(function* (lane: string) {
    const request = requests.get(lane)
    if (request === undefined) {
      const reason = new InvalidParams({ option: "conversation", problem: "has no live session" })
      return yield* new AgentError({ cli: "", reason, result: resultOfNothing(reason), hadOutput: false })
    }
    yield* Effect.addFinalizer(() => Effect.sync(() => open.delete(lane)))
    const opened = yield* places.keep(lane)
    const session = yield* request.sessions.open(request.params)
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
      Effect.sync(() => requests.delete(lane)),
      RcMap.invalidate(sessions, lane)
    )

  const live: LiveSessions = {
    present: (lane) => open.get(lane),
    close,
    get: (lane, request) =>
      Effect.gen(function* () {
        const before = requests.get(lane)
        const isSame = before !== undefined && JSON.stringify(before.params) === JSON.stringify(request.params)
        if (!isSame) yield* close(lane)
        requests.set(lane, request)
        return yield* Effect.tapError(RcMap.get(sessions, lane), () => RcMap.invalidate(sessions, lane))
      })
  }
  return live
})
