/** Whether a person may be asked about a plan now: not while an outline is missing, and not too soon after a denial. */

import { type DurationInput, toMillis } from "../../contract/Input.ts"
import type { Decision, PlanOptions } from "../../contract/Rule.ts"

interface PlanAttempt {
  readonly nowMs: number
  readonly planLength: number
  /** Visible characters that the main agent has written so far. */
  readonly textLength: number
}

export type PlanGate = ReturnType<typeof makePlanGate>
const invisible = /[\s\p{Cc}\p{Cf}]/u

/** Counts characters without spaces and invisible ones. ASCII has a fast path, since a turn may have megabytes. */
export const visibleLength = (text: string): number => {
  let length = 0
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit > 0x20 && unit < 0x7f) length++
    if (unit < 0x7f) continue
    const character = String.fromCodePoint(text.codePointAt(at) ?? unit)
    if (!invisible.test(character)) length++
    at += character.length - 1
  }
  return length
}

const defaultOutlineLength = 200
const defaultCooldown: ReadonlyArray<DurationInput> = ["30 seconds", "60 seconds", "90 seconds", "120 seconds"]

const deny = (message: string): Decision => ({ decision: "deny", message })

const tooSoon = (remainingMs: number): string =>
  Number.isFinite(remainingMs)
    ? `The plan was denied. Improve it, and wait another ${Math.ceil(remainingMs / 1000)} s before you ask again.`
    : "The plan was denied. Do not ask again."

const cooldownMs = (cooldown: PlanOptions["cooldown"] = false): ReadonlyArray<number> => {
  if (cooldown === false) return []
  return (cooldown === true ? defaultCooldown : cooldown).map(toMillis)
}

/** True if the text since `from`, or the plan itself, is long enough. */
const isOutlined = ({ planLength, textLength }: PlanAttempt, from: number, outlineLength: number): boolean => {
  // A smaller count than before has started again.
  const output = textLength < from ? textLength : textLength - from
  return Math.max(output, planLength) >= outlineLength
}

export const makePlanGate = (options: PlanOptions) => {
  const { outlineLength = defaultOutlineLength } = options
  const cooldown = cooldownMs(options.cooldown)
  const outlineMessage = `Not yet: first describe the plan to the user as text, in at least ${outlineLength} characters, then ask again.`
  /** The text length when an outline was asked for. */
  let outlineFrom: number | undefined
  let denials = 0
  let deniedMs = 0

  const remainingMs = (nowMs: number): number => {
    const full = denials === 0 ? 0 : (cooldown[Math.min(denials, cooldown.length) - 1] ?? 0)
    return full - Math.max(0, nowMs - deniedMs)
  }

  const reset = () => {
    outlineFrom = undefined
    denials = 0
  }

  return {
    outlineMessage,
    /** Called after an interrupted turn: the next plan is a new one. */
    reset,
    /** Returns undefined if a person is to decide. */
    attempt: (attempt: PlanAttempt): Decision | undefined => {
      if (options.auto) return { decision: "allow" }
      const waitMs = remainingMs(attempt.nowMs)
      if (waitMs > 0) return deny(tooSoon(waitMs))
      const isMissing = outlineFrom !== undefined && !isOutlined(attempt, outlineFrom, outlineLength)
      if (isMissing) return deny(outlineMessage)
      outlineFrom = undefined
      return undefined
    },
    decided: (answer: "allow" | "deny" | "outline", { nowMs, textLength }: Omit<PlanAttempt, "planLength">) => {
      if (answer === "allow") return reset()
      if (answer === "outline") {
        outlineFrom = textLength
        return
      }
      denials++
      deniedMs = nowMs
    }
  }
}
