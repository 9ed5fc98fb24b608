/**
 * One open live session for each key, shared by its turns and closed when idle. A session that is over is never given to
 * a further turn, though its process may take seconds to leave, and its events end only then.
 */
import { type Duration, Effect, Exit, RcMap, Scope } from "effect"
import type { AgentError } from "../../contract/AgentError.ts"
import type { AgentSession } from "../../contract/AgentSession.ts"
import { untraced } from "../../contract/untraced.ts"

interface Entry {
  readonly session: Pick<AgentSession, "isOver">
}

export interface LiveSessionsOptions<A extends Entry> {
  /** `forget` removes this session, and no later one, from the sessions that further turns use. */
  readonly open: (key: string, forget: Effect.Effect<void>) => Effect.Effect<A, AgentError, Scope.Scope>
  readonly idleTimeToLive: Duration.Input
}

export const makeLiveSessions = Effect.fn(...untraced("LiveSessions.makeLiveSessions"))(function* <A extends Entry>({
  open,
  idleTimeToLive
}: LiveSessionsOptions<A>) {
  /** The mark of the session that further turns use, by key. */
  const present = new Map<string, symbol>()
  const marks = new WeakMap<A, symbol>()

  const forget = (key: string, mark: symbol | undefined): Effect.Effect<void> =>
    Effect.suspend(() => {
      if (mark === undefined || present.get(key) !== mark) return Effect.void
      present.delete(key)
      return RcMap.invalidate(sessions, key)
    })

  const sessions: RcMap.RcMap<string, A, AgentError> = yield* RcMap.make({
    lookup: Effect.fn(...untraced("LiveSessions.lookup"))(function* (key: string) {
      const mark = Symbol()
      present.set(key, mark)
      yield* Effect.addFinalizer(() =>
        Effect.sync(() => {
          if (present.get(key) === mark) present.delete(key)
        })
      )
      const opened = yield* Effect.onError(open(key, forget(key, mark)), () => forget(key, mark))
      marks.set(opened, mark)
      return opened
    }),
    idleTimeToLive
  })

  return {
    /** In use until the scope closes. */
    get: Effect.fn(...untraced("LiveSessions.get"))(function* (
      key: string
    ): Effect.fn.Return<A, AgentError, Scope.Scope> {
      const outer = yield* Effect.scope
      while (true) {
        const scope = yield* Scope.fork(outer)
        const opened = yield* Scope.provide(RcMap.get(sessions, key), scope)
        if (!opened.session.isOver) return opened
        yield* forget(key, marks.get(opened))
        // The next one opens when nothing of this one is left.
        yield* Scope.close(scope, Exit.void)
      }
    }),
    /** Closes the session once no turn uses it: the next turn opens another. */
    close: (key: string): Effect.Effect<void> => Effect.suspend(() => forget(key, present.get(key)))
  }
})
