/** The live sessions of this home for turns of other machines: one for each conversation, as long as it is used. */
import { Effect, Stream } from "effect"
import { errorOfNothing } from "../api/promise/plainAgent.ts"
import { InvalidParams } from "../contract/AgentError.ts"
import type { ConversationOpenParams } from "../contract/AgentOpenParams.ts"
import type { AgentSession } from "../contract/AgentSession.ts"
import { untraced } from "../contract/untraced.ts"
import type { Sessions } from "../conversations/Sessions.ts"
import { makeLiveSessions as makeSessions } from "../conversations/turns/liveSessions.ts"
import type { Places } from "../conversations/turns/places.ts"

const idle = "10 minutes"

type Request = {
  readonly sessions: Sessions["Service"]
  readonly params: ConversationOpenParams
}

/** The sessions close with the scope. */
export const makeLiveSessions = Effect.fn(...untraced("LiveSessions.makeLiveSessions"))(function* (
  places: Pick<Places, "keep">
) {
  const requests = new Map<string, Request>()
  const open = new Map<string, AgentSession>()
  const openFor = Effect.fn(...untraced("LiveSessions.open"))(function* (lane: string, forget: Effect.Effect<void>) {
    const request = requests.get(lane)
    if (request === undefined)
      return yield* errorOfNothing("", new InvalidParams({ option: "conversation", problem: "has no live session" }))
    const opened = yield* places.keep(lane)
    const session = yield* request.sessions.open(request.params)
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        if (open.get(lane) === session) open.delete(lane)
      })
    )
    opened(session)
    open.set(lane, session)
    // A session that has ended is not used again, also if another process wanted its conversation.
    yield* Stream.runDrain(session.events).pipe(Effect.andThen(forget), Effect.forkScoped({ startImmediately: true }))
    return { session }
  })
  const sessions = yield* makeSessions({ open: openFor, idleTimeToLive: idle })

  const close = (lane: string) =>
    Effect.andThen(
      Effect.sync(() => requests.delete(lane)),
      sessions.close(lane)
    )

  return {
    present: (lane: string) => open.get(lane),
    close,
    /** The open session with these parameters, or a new one; in use until the scope closes. */
    get: (lane: string, request: Request) =>
      Effect.gen(function* () {
        const before = requests.get(lane)
        const isSame = before !== undefined && JSON.stringify(before.params) === JSON.stringify(request.params)
        if (!isSame) yield* close(lane)
        requests.set(lane, request)
        return (yield* sessions.get(lane)).session
      })
  }
})

export type LiveSessions = Effect.Success<ReturnType<typeof makeLiveSessions>>
