/** Runs and sessions of an agent: each lives until its caller leaves or the agent is closed, which wait for its end. */
import { type Context, Effect, type Exit, Fiber, FiberSet, type Scope } from "effect"
import type { End } from "../../contract/Start.ts"
import { inHostTime } from "../../system/hostClock.ts"
import type { Platform } from "../../system/process/Platform.ts"
import type { Fork } from "./admission.ts"
import { keepOwnSeams } from "./ownSeams.ts"
import { requestStop, type Stop } from "./stop.ts"

/** A run, session or question, and its end once it has one. */
interface Life {
  readonly type: "run" | "session" | "models"
  /** It is stopped when its caller leaves. */
  readonly stop: Stop
  readonly ended: () => End | undefined
}

/** Wraps each run, session or turn, for example in a span. `caller` is the context of the fiber that started it. */
export type Around = (
  life: Effect.Effect<void, never, Platform>,
  about: Life & { readonly caller: Context.Context<never> }
) => Effect.Effect<void, never, Platform>

export interface Lifetimes {
  readonly begin: (
    about: Life,
    life: Effect.Effect<void, never, Platform>,
    onExit: (exit: Exit.Exit<void>) => void
  ) => Effect.Effect<void, never, Scope.Scope>
  /** Runs work that may outlast runs and sessions; interrupted after them, when the agent is closed. */
  readonly background: Fork
}

export const makeLifetimes = Effect.fnUntraced(function* (
  cli: string,
  platform: Context.Context<Platform>,
  around: Around = (life) => life
) {
  const background = yield* FiberSet.makeRuntime<never, void, never>()
  const active = new Set<Effect.Effect<void>>()
  let isClosed = false
  // Also those with a paused consumer.
  yield* Effect.addFinalizer(() => {
    isClosed = true
    return Effect.forEach([...active], (leave) => leave, { concurrency: "unbounded" })
  })

  const begin: Lifetimes["begin"] = (about, life, onExit) =>
    Effect.acquireRelease(
      Effect.gen(function* () {
        if (isClosed) requestStop(about.stop, "caller")
        const caller = yield* Effect.context<never>()
        const fiber = yield* around(life, { ...about, caller }).pipe(
          Effect.onExit((exit) => Effect.sync(() => onExit(exit))),
          Effect.annotateLogs({ cli }),
          // The agent's layer may have been made inside of another call.
          yield* keepOwnSeams,
          Effect.provideContext(platform),
          inHostTime,
          Effect.forkDetach
        )
        const leave = Effect.suspend(() => {
          requestStop(about.stop, "caller")
          return Effect.asVoid(Fiber.await(fiber))
        })
        active.add(leave)
        return leave
      }),
      (leave) =>
        Effect.ensuring(
          leave,
          Effect.sync(() => active.delete(leave))
        )
    )

  return { begin, background } satisfies Lifetimes
})
