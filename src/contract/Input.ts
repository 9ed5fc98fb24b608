/** Values from callers: durations, and results of callbacks. Types for values of Effect name only the marks of these. */
import { Duration, Effect, Fiber, Option, Predicate, Schema } from "effect"

/** A unit of a duration. */
export type DurationUnit = `${"nano" | "micro" | "milli" | "second" | "minute" | "hour" | "day" | "week"}${"" | "s"}`

/** Effect's `Duration`. */
export interface EffectDuration {
  readonly "~effect/Duration": unknown
}

/** The sum of its fields. */
export interface DurationParts {
  /** 7 days each */
  readonly weeks?: number | undefined
  /** 24 hours each */
  readonly days?: number | undefined
  /** 60 minutes each */
  readonly hours?: number | undefined
  /** 60 seconds each */
  readonly minutes?: number | undefined
  /** 1,000 milliseconds each */
  readonly seconds?: number | undefined
  /** 1/1,000 s each */
  readonly milliseconds?: number | undefined
}

/** Milliseconds, a text such as `"5 minutes"`, `{ seconds: 90 }`, or Effect's `Duration`. */
export type DurationInput = number | `${number} ${DurationUnit}` | "Infinity" | DurationParts | EffectDuration

const millisOf = (input: unknown) =>
  Option.map(Duration.fromInput(input as Duration.Input), Duration.toMillis).pipe(Option.getOrElse(() => Number.NaN))

/** ≥ 0. */
export const DurationInput = Schema.declare((input): input is DurationInput => millisOf(input) >= 0, {
  expected: 'a duration: milliseconds, or a text such as "5 minutes"'
})

/** > 0. */
export const PositiveDuration = Schema.declare((input): input is DurationInput => millisOf(input) > 0, {
  expected: 'a duration above 0: milliseconds, a text such as "5 minutes", or "Infinity" for none'
})

export const toMillis = (duration: DurationInput): number => Duration.toMillis(duration as Duration.Input) // a subset of its inputs

/** Effect's `Effect`, without requirements. */
export interface EffectOf<A> {
  readonly "~effect/Effect": {
    readonly _A: (_: never) => A
    readonly _E: (_: never) => unknown
    readonly _R: (_: never) => never
  }
}

/** The result of a callback: a value, a promise of it, or an effect. */
export type Eventually<A> = A | PromiseLike<A> | EffectOf<A>

/** A value, or a promise of it. */
export type Awaitable<A> = A | PromiseLike<A>

export const eventually = <A>(run: () => Eventually<A>): Effect.Effect<A, unknown> =>
  Effect.suspend(() => {
    const result = run()
    if (Effect.isEffect(result)) return detached(result as Effect.Effect<A, unknown>) // the only one of its type
    return isPromiseLike(result) ? Effect.tryPromise(async () => result) : Effect.succeed(result as A)
  })

/** An interruption does not wait for the effect to end: a callback that closes its own session would wait for itself. */
const detached = <A>(effect: Effect.Effect<A, unknown>): Effect.Effect<A, unknown> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.flatMap(Effect.forkDetach(effect, { startImmediately: true }), (fiber) =>
      Effect.onInterrupt(restore(Fiber.join(fiber)), () => Effect.sync(() => fiber.interruptUnsafe()))
    )
  )

const isPromiseLike = <A>(value: A | PromiseLike<A>): value is PromiseLike<A> =>
  Predicate.hasProperty(value, "then") && Predicate.isFunction(value.then)
