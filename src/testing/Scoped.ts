/** Values with `await using`, for callers with Effect. */
import { Clock, Effect, type Scope } from "effect"
import { TelegramServer as Server } from "./TelegramServer.ts"
import type { TelegramServerOptions } from "./telegram/world.ts"

/** Telegram's fake for callers with Effect: closed with the scope, and on the time of Effect's clock. */
export type TelegramServer = Server

/** Its time is that of the clock, so that of a `TestClock`, unless `now` says otherwise. */
const make = (options: TelegramServerOptions = {}): Effect.Effect<TelegramServer, never, Scope.Scope> =>
  Clock.clockWith((clock) =>
    Effect.acquireDisposable(
      Effect.promise(() => Server.start({ now: () => clock.currentTimeMillisUnsafe(), ...options }))
    )
  )

/** `TelegramServer.make()` in a scope; what it gives is the server of `reins/testing`. */
export const TelegramServer = { make }

/** Closed with the scope, such as a server or sandbox: `scoped(() => ModelServer.messages([Answer.say("Hello")]))`. */
export const scoped = <A extends AsyncDisposable>(open: () => Promise<A>): Effect.Effect<A, never, Scope.Scope> =>
  Effect.acquireDisposable(Effect.promise(open))
