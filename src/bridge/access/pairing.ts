/**
 * Pairing: a code on the host's terminal makes the person who sends it the owner. Five tries in all, ten minutes, one
 * person. Only a text that has the form of a code is a try.
 */
import { randomInt, timingSafeEqual } from "node:crypto"
import { Clock, Effect } from "effect"
import { withoutInvisible } from "../../contract/text/harmless.ts"
import { monotonicMillis } from "../../system/hostClock.ts"

/** Without vowels, so that no word looks like a code, and without letters and digits that look alike: 27. */
const alphabet = "23456789BCDFGHJKMNPQRSTVWXZ"
/** 47 bits. */
const length = 10
const mostTries = 5
const validMs = 10 * 60_000

/** Such as `7KX2M-9QTRB`. */
export const pairingCode = (): string => {
  const letters = Array.from({ length }, () => alphabet[randomInt(alphabet.length)] ?? "")
  return `${letters.slice(0, length / 2).join("")}-${letters.slice(length / 2).join("")}`
}

const form = new RegExp(`^[${alphabet}]{${length}}$`)

/** The code in a text, alone or behind `/start`; undefined: it has not the form of one. */
export const codeIn = (text: string): string | undefined => {
  if (text.length > 100) return undefined
  const letters = withoutInvisible(text.replace(/^\s*\/start\s/, ""))
    .replace(/[\s-]/g, "")
    .toUpperCase()
  return form.test(letters) ? letters : undefined
}

const isEqual = (one: string, other: string): boolean => timingSafeEqual(Buffer.from(one), Buffer.from(other))

export interface Pairing {
  /** For the host's terminal, and for no log. */
  readonly code: string
  /** Whether a code could still be right. */
  readonly isOpen: Effect.Effect<boolean>
  /** `over`: it was no try, for there are none left, or no time. */
  readonly offer: (text: string) => Effect.Effect<"paired" | "wrong" | "no_code" | "over">
  /** After a success that could not be kept. */
  readonly reopen: Effect.Effect<void>
}

export const makePairing = (code: string = pairingCode()): Effect.Effect<Pairing> =>
  Effect.gen(function* () {
    const [startedAt, ranAt] = [yield* Clock.currentTimeMillis, yield* monotonicMillis]
    const letters = code.replaceAll("-", "")
    let [triesLeft, isPaired] = [mostTries, false]
    // A clock that is set back gives no more time, and neither does a machine that sleeps.
    const isOpen = Effect.gen(function* () {
      const passedMs = Math.max((yield* Clock.currentTimeMillis) - startedAt, (yield* monotonicMillis) - ranAt)
      return !isPaired && triesLeft > 0 && passedMs < validMs
    })
    return {
      code,
      isOpen,
      offer: (text) =>
        Effect.map(isOpen, (isPossible) => {
          const offered = codeIn(text)
          if (offered === undefined) return "no_code"
          if (!isPossible) return "over"
          triesLeft -= 1
          isPaired = isEqual(offered, letters)
          return isPaired ? "paired" : "wrong"
        }),
      reopen: Effect.sync(() => {
        isPaired = false
      })
    }
  })
