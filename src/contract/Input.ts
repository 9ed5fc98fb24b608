/** Values that callers hand in. Values of Effect fit by their marks, so that nothing of it is imported. */

export type DurationUnit =
  | "nano"
  | "nanos"
  | "micro"
  | "micros"
  | "milli"
  | "millis"
  | "second"
  | "seconds"
  | "minute"
  | "minutes"
  | "hour"
  | "hours"
  | "day"
  | "days"
  | "week"
  | "weeks"

/** Effect's `Duration`. */
export interface EffectDuration {
  readonly "~effect/Duration": unknown
}

/** The sum of its fields. */
export interface DurationParts {
  /** Of 7 days each */
  readonly weeks?: number | undefined
  /** Of 24 hours each */
  readonly days?: number | undefined
  /** Of 60 minutes each */
  readonly hours?: number | undefined
  /** Of 60 seconds each */
  readonly minutes?: number | undefined
  /** Of 1,000 milliseconds each */
  readonly seconds?: number | undefined
  /** Of 1/1,000 s each */
  readonly milliseconds?: number | undefined
}

/** Milliseconds, a text such as `"5 minutes"`, `{ seconds: 90 }`, or Effect's `Duration`. */
export type DurationInput = number | `${number} ${DurationUnit}` | "Infinity" | DurationParts | EffectDuration

/** Effect's `Redacted`: a text that no log, error or recording shows. */
export interface Redacted {
  readonly "~effect/Redacted": { readonly _A: (_: never) => string }
}

/** A text, which may be wrapped in `Redacted`. */
export type MaybeSecret = string | Redacted

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
