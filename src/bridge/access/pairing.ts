/** Pairing: a code on the host's terminal makes its sender the owner. Five attempts, ten minutes, one person. */
import { randomInt, timingSafeEqual } from "node:crypto"
import { Clock, Effect } from "effect"
import { withoutInvisible } from "../../contract/text/harmless.ts"
import { untraced } from "../../contract/untraced.ts"
import { monotonicMillis } from "../../system/hostClock.ts"

/** 27 characters: no vowels, so that no word looks like a code, and no letters and digits that look alike. */
const alphabet = "23456789BCDFGHJKMNPQRSTVWXZ"
/** Gives 47 bits. */
const length = 10
const mostAttempts = 5
const validMs = 10 * 60_000

/** Such as `7KX2M-9QTRB`. */
export const pairingCode = (): string => {
  const letters = Array.from({ length }, () => alphabet[randomInt(alphabet.length)] ?? "")
  return `${letters.slice(0, length / 2).join("")}-${letters.slice(length / 2).join("")}`
}

const form = new RegExp(`^[${alphabet}]{${length}}$`)

/** The code in a text, alone or after `/start`; undefined if the text is not in the form of a code. */
export const codeIn = (text: string): string | undefined => {
  if (text.length > 100) return undefined
  const letters = withoutInvisible(text.replace(/^\s*\/start\s/, ""))
    .replace(/[\s-]/g, "")
    .toUpperCase()
  return form.test(letters) ? letters : undefined
}

const isEqual = (one: string, other: string): boolean => timingSafeEqual(Buffer.from(one), Buffer.from(other))

export interface Pairing {
  /** For the host's terminal; must not be logged. */
  readonly code: string
  /** Whether a code could still be right. */
  readonly isOpen: Effect.Effect<boolean>
  /** `no_code`: not an attempt. `over`: no attempts or no time left. */
  readonly offer: (text: string) => Effect.Effect<"paired" | "wrong" | "no_code" | "over">
  /** Undoes a success that could not be stored. */
  readonly reopen: Effect.Effect<void>
}

export const makePairing = Effect.fn(...untraced("Pairing.makePairing"))(function* (
  code: string = pairingCode()
): Effect.fn.Return<Pairing> {
  const [startedAt, ranAt] = [yield* Clock.currentTimeMillis, yield* monotonicMillis]
  const letters = code.replaceAll("-", "")
  let [attemptsLeft, isPaired] = [mostAttempts, false]
  // Neither setting the clock back nor suspending the machine gives more time.
  const isOpen = Effect.gen(function* () {
    const passedMs = Math.max((yield* Clock.currentTimeMillis) - startedAt, (yield* monotonicMillis) - ranAt)
    return !isPaired && attemptsLeft > 0 && passedMs < validMs
  })
  return {
    code,
    isOpen,
    offer: (text) =>
      Effect.map(isOpen, (isPossible) => {
        const offered = codeIn(text)
        if (offered === undefined) return "no_code"
        if (!isPossible) return "over"
        attemptsLeft -= 1
        isPaired = isEqual(offered, letters)
        return isPaired ? "paired" : "wrong"
      }),
    reopen: Effect.sync(() => {
      isPaired = false
    })
  }
})
