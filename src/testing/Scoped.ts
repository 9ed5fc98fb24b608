/** Values with `await using`, for callers with Effect. */
import { Effect, type Scope } from "effect"

/** Closed with the scope, such as a server or sandbox: `scoped(() => ModelServer.messages([Answer.say("Hello")]))`. */
export const scoped = <A extends AsyncDisposable>(open: () => Promise<A>): Effect.Effect<A, never, Scope.Scope> =>
  Effect.acquireDisposable(Effect.promise(open))
