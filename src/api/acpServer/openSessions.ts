/** The sessions that a client has open: at most so many, each in a scope of its own. */
import { Effect, Exit, Scope } from "effect"
import { invalidRequest, type RpcError } from "../../cli/jsonRpc.ts"
import { shortLine } from "../../contract/text/oneLine.ts"
import type { EditorSession } from "./editorSession.ts"
import { notFound } from "./failures.ts"

export interface OpenSessions {
  readonly find: (id: string) => Effect.Effect<EditorSession, RpcError>
  /** Its cancelling; nothing where it is not open. */
  readonly cancel: (id: string) => Effect.Effect<void>
  /** Waits until nothing of it is left. */
  readonly close: (id: string) => Effect.Effect<void>
  /** It is open once `make` is done. */
  readonly add: (
    id: string,
    make: Effect.Effect<EditorSession, RpcError, Scope.Scope>
  ) => Effect.Effect<EditorSession, RpcError>
}

interface Open {
  readonly session: EditorSession
  readonly scope: Scope.Closeable
}

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

/** They end with the scope. */
export const makeOpenSessions: Effect.Effect<OpenSessions, never, Scope.Scope> = Effect.map(Effect.scope, (outer) => {
  const open = new Map<string, Open>()
  const opening = new Set<string>()

  const inScope = Effect.fnUntraced(function* (
    id: string,
    make: Effect.Effect<EditorSession, RpcError, Scope.Scope>
  ): Effect.fn.Return<EditorSession, RpcError> {
    const scope = yield* Scope.fork(outer)
    const session = yield* Effect.onError(Scope.provide(make, scope), (cause) =>
      Scope.close(scope, Exit.failCause(cause))
    )
    open.set(id, { session, scope })
    return session
  })

  return {
    find: (id) => {
      const found = open.get(id)
      return found === undefined ? Effect.fail(notOpen(id)) : Effect.succeed(found.session)
    },
    cancel: (id) => Effect.suspend(() => open.get(id)?.session.cancel ?? Effect.void),
    close: (id) =>
      Effect.suspend(() => {
        const found = open.get(id)
        open.delete(id)
        if (found === undefined) return Effect.void
        return Effect.andThen(found.session.cancel, Scope.close(found.scope, Exit.void))
      }),
    add: (id, make) =>
      Effect.suspend(() => {
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

const beingOpened: RpcError = { code: invalidRequest, message: "The session is being opened already. Wait for it." }
