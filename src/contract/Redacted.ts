/**
 * Secret texts, which no log, error or recording shows. Each copy of Effect keeps those of its `Redacted` in private;
 * those made here are known to all copies of this package.
 */
import { Redacted as EffectRedacted, Predicate, Schema } from "effect"
import { hostWide } from "./acrossCopies.ts"
import { type EffectCopy, installedCopy, ofAnotherCopy, ownCopy } from "./copiesOfEffect.ts"
import { schemaOf } from "./schemaOf.ts"

/** Effect's `Redacted`. */
export interface Redacted {
  readonly "~effect/Redacted": { readonly _A: (_: never) => string }
}

/** Each in a function: `inspect` with `showHidden` lists the values of a WeakMap. */
const texts = hostWide("redacted@1", () => new WeakMap<object, () => string>())

/**
 * Wraps a secret, such as the value of a variable or of a header: `console.log`, `String`, `JSON.stringify`, errors and
 * recordings show `<redacted>`. Effect's `Redacted.make` does the same. Throws a `TypeError` for a value that is not a text.
 */
export const redacted = (text: string): Redacted => {
  if (typeof text !== "string") throw new TypeError("redacted: its argument is not a text")
  const wrapped = EffectRedacted.make(text)
  texts.set(wrapped, () => text)
  return wrapped
}

const valueBy = (copy: EffectCopy | undefined, wrapped: EffectRedacted.Redacted<unknown>) => {
  try {
    return copy?.textOf(wrapped)
  } catch {
    return undefined
  }
}

const valueIn = (wrapped: EffectRedacted.Redacted<unknown>) =>
  texts.get(wrapped)?.() ?? valueBy(ownCopy, wrapped) ?? valueBy(installedCopy(), wrapped)

/** The text itself, or that in a `Redacted`; undefined for any other value, and for one of a copy of Effect that is not found. */
export const textOf = (input: unknown): string | undefined => {
  const value = EffectRedacted.isRedacted(input) ? valueIn(input) : input
  return Predicate.isString(value) ? value : undefined
}

/** To follow the problem with a value that has no text. */
export const redactedRemark = (input: unknown): string =>
  EffectRedacted.isRedacted(input) && valueIn(input) === undefined
    ? `; it ${ofAnotherCopy()}, or make it by redacted(text) of reins/promise`
    : ""

/** A text, which may be wrapped in `Redacted`. */
export type MaybeSecret = string | Redacted

const hasText = (input: unknown): input is Redacted => textOf(input) !== undefined

export const MaybeSecret = schemaOf<MaybeSecret>()(
  Schema.Union([Schema.String, Schema.declare(hasText, { expected: "a text, or a Redacted one" })])
)

/** The text itself. */
export const reveal = (secret: MaybeSecret): string => {
  const text = textOf(secret)
  if (text === undefined) throw new TypeError("reveal: it is not a text")
  return text
}
