/** The sessions that a client has open: a bounded number, each in a scope of its own. */
import { Effect, Exit, Scope } from "effect"
import { invalidRequest, type RpcError } from "../../cli/jsonRpc.ts"
import { shortLine } from "../../contract/text/harmless.ts"
import { untraced } from "../../contract/untraced.ts"
import type { EditorSession } from "./editorSession.ts"
import { notFound } from "./failures.ts"

interface Open {
  readonly session: EditorSession
  readonly scope: Scope.Closeable
}

type Making = Effect.Effect<EditorSession, RpcError, Scope.Scope>

/** Each has a process of a CLI. */
const mostSessions = 16

const notOpen = (id: string): RpcError => ({
  code: notFound,
  message: `The session ${shortLine(id, 100)} is not open. Load it, or begin a new one.`
})

const tooMany: RpcError = {
  code: invalidRequest,
  message: `${mostSessions} sessions are open already. Close one of them.`
}

const beingOpened: RpcError = { code: invalidRequest, message: "The session is being opened already. Wait for it." }

/** The sessions end with the scope. */
export const makeOpenSessions = Effect.map(Effect.scope, (outer) => {
  const open = new Map<string, Open>()
  const opening = new Set<string>()

  const inScope = Effect.fn(...untraced("OpenSessions.inScope"))(function* (id: string, make: Making) {
    const scope = yield* Scope.fork(outer)
    const session = yield* Effect.onError(Scope.provide(make, scope), (cause) =>
      Scope.close(scope, Exit.failCause(cause))
    )
    open.set(id, { session, scope })
    return session
  })

  return {
    find: (id: string): Effect.Effect<EditorSession, RpcError> => {
      const found = open.get(id)
      return found === undefined ? Effect.fail(notOpen(id)) : Effect.succeed(found.session)
    },
    /** Does nothing if the session is not open. */
    cancel: (id: string) => Effect.suspend(() => open.get(id)?.session.cancel ?? Effect.void),
    /** Waits until the session and its CLI have ended. */
    close: (id: string) =>
      Effect.suspend(() => {
        const found = open.get(id)
        open.delete(id)
        if (found === undefined) return Effect.void
        return Effect.andThen(found.session.cancel, Scope.close(found.scope, Exit.void))
      }),
    add: (id: string, make: Making) =>
      Effect.suspend((): Effect.Effect<EditorSession, RpcError> => {
        if (open.size + opening.size >= mostSessions) return Effect.fail(tooMany)
        if (open.has(id) || opening.has(id)) return Effect.fail(beingOpened)
        opening.add(id)
        return Effect.ensuring(
          inScope(id, make),
          Effect.sync(() => opening.delete(id))
        )
      })
  }
})
