/**
 * Texts that nothing shows. Effect keeps the text of its `Redacted` in private, each copy of it for itself: those of the
 * application's copy are read by that copy, and those made here are known to all copies of this package.
 */
import { Predicate, Redacted } from "effect"
import { hostWide } from "./acrossCopies.ts"
import { type EffectCopy, installedCopy, ofAnotherCopy, ownCopy } from "./copiesOfEffect.ts"
import type * as Types from "./Input.ts"

/** Each in a function: `inspect` with `showHidden` lists what a WeakMap holds. */
const texts = hostWide("redacted@1", () => new WeakMap<object, () => string>())

/**
 * Wraps a secret, such as the value of a variable or of a header: `console.log`, `String`, `JSON.stringify`, errors and
 * recordings show `<redacted>`. Effect's `Redacted.make` does the same. Throws a `TypeError` for what is no text.
 */
export const redacted = (text: string): Types.Redacted => {
  if (typeof text !== "string") throw new TypeError("redacted: its argument is not a text")
  const wrapped = Redacted.make(text)
  texts.set(wrapped, () => text)
  return wrapped
}

const valueBy = (copy: EffectCopy | undefined, wrapped: Redacted.Redacted<unknown>) => {
  try {
    return copy?.textOf(wrapped)
  } catch {
    return undefined
  }
}

const valueIn = (wrapped: Redacted.Redacted<unknown>) =>
  texts.get(wrapped)?.() ?? valueBy(ownCopy, wrapped) ?? valueBy(installedCopy(), wrapped)

/** The text itself, or that in a `Redacted`; undefined for any other value, and for one of a copy of Effect that is not found. */
export const textOf = (given: unknown): string | undefined => {
  const value = Redacted.isRedacted(given) ? valueIn(given) : given
  return Predicate.isString(value) ? value : undefined
}

/** To follow the problem with a value that has no text. */
export const redactedRemark = (given: unknown): string =>
  Redacted.isRedacted(given) && valueIn(given) === undefined
    ? `; it ${ofAnotherCopy()}, or make it by redacted(text) of reins/promise`
    : ""
