/** What follows a poll that failed, and what of it is said; pure but for its state. Times are of a clock that never goes back. */
import { type CallFailure, isTokenRefused } from "../calls/failure.ts"

export interface AfterFailure {
  readonly waitMs: number
  /** For the log. */
  readonly line?: string
}

const [firstMs, longestMs] = [200, 30_000]
const conflictMs = 30_000
/** Somebody looked once, such as `reins doctor`. */
const firstConflictMs = 5_000
const conflictSpanMs = 600_000
const saidAfterMs = 300_000

const isConflict = (failure: CallFailure) => failure._tag === "Refused" && failure.code === 409
const isWebhook = (failure: CallFailure) => failure._tag === "Refused" && /webhook/i.test(failure.description)

const otherReader =
  "another program reads this bot's messages, so that some do not come here: stop it, or give it a bot of its own"
const webhookSet = "a webhook takes this bot's messages, so that none come here: remove it where it was set"

export const makePollState = (startedAt: number) => {
  let failures = 0
  let completedAt = startedAt
  let isSaid = false
  let conflictAt = Number.NEGATIVE_INFINITY
  const saidConflicts = new Set<string>()

  const afterConflict = (failure: CallFailure, now: number): AfterFailure => {
    const line = isWebhook(failure) ? webhookSet : otherReader
    const isFirst = line === otherReader && now - conflictAt > conflictSpanMs
    conflictAt = now
    if (isFirst) return { waitMs: firstConflictMs }
    if (saidConflicts.has(line)) return { waitMs: conflictMs }
    saidConflicts.add(line)
    return { waitMs: conflictMs, line }
  }

  return {
    /** Undefined: there is no use in another one. */
    failed: (failure: CallFailure, now: number): AfterFailure | undefined => {
      if (isTokenRefused(failure)) return undefined
      // Telegram was reached.
      if (isConflict(failure)) return afterConflict(failure, now)
      const waitMs = Math.min(firstMs * 2 ** Math.min(failures, 20), longestMs)
      failures += 1
      if (failure._tag === "Refused" && failure.retryAfterMs !== undefined)
        return { waitMs: Math.max(failure.retryAfterMs, waitMs) }
      if (isSaid || now - completedAt < saidAfterMs) return { waitMs }
      isSaid = true
      return { waitMs, line: "Telegram has not been reached for five minutes; it is tried again and again" }
    },
    /** Gives a line for the log, if it was said that something is wrong. */
    completed: (now: number): string | undefined => {
      const wasSaid = isSaid
      failures = 0
      completedAt = now
      isSaid = false
      return wasSaid ? "Telegram is reached again" : undefined
    }
  }
}
