/**
 * When a failed run may be tried again: a CLI tells a duration, a time, or a time of the day in this host's zone. The result
 * has an ISO time, within bounds; pure.
 */
import { AgentFailed, type FailureReason } from "../../contract/AgentError.ts"
import { isoTime } from "../../contract/text/amounts.ts"
import type { Ending } from "./judge.ts"

/** A limit of a week, and a day for clocks that differ. */
const longestMs = 8 * 24 * 60 * 60_000

const timeOfDay = /^([01]\d|2[0-3]):([0-5]\d)$/

/** The next time that the clocks of this host show it. */
const nextTimeOfDay = (hours: number, minutes: number, now: number): number => {
  const date = new Date(now)
  date.setHours(hours, minutes, 0, 0)
  if (date.getTime() <= now) date.setDate(date.getDate() + 1)
  return date.getTime()
}

const toldTime = ({ retryAt, retryAfterMs }: AgentFailed, now: number): number => {
  if (retryAt === undefined) return now + (retryAfterMs ?? Number.NaN)
  const [, hours, minutes] = timeOfDay.exec(retryAt) ?? []
  return hours === undefined ? Date.parse(retryAt) : nextTimeOfDay(Number(hours), Number(minutes), now)
}

/** The fields of a failure about a retry. */
export const retryTimesOf = ({ retryAfterMs, retryAt }: AgentFailed) => ({
  ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  ...(retryAt === undefined ? {} : { retryAt })
})

/** With `retryAt` and `retryAfterMs`, if the CLI tells one of them; without a `retryAt` that cannot be true. */
export const withRetryAt = (reason: FailureReason, now: number): FailureReason => {
  if (reason._tag !== "AgentFailed" || (reason.retryAt ?? reason.retryAfterMs) === undefined) return reason
  const { code, category, detail, retryAfterMs } = reason
  const at = toldTime(reason, now)
  const retryAt = at > now && at <= now + longestMs ? isoTime(at) : undefined
  if (retryAt === reason.retryAt && retryAfterMs !== undefined) return reason
  const times =
    retryAt === undefined
      ? { ...(retryAfterMs === undefined ? {} : { retryAfterMs }) }
      : { retryAfterMs: retryAfterMs ?? Math.ceil(at - now), retryAt }
  return new AgentFailed({ code, category, detail, ...times })
}

export const endingWithRetryAt = (ending: Ending, now: number): Ending =>
  ending.failure === undefined ? ending : { ...ending, failure: withRetryAt(ending.failure, now) }
