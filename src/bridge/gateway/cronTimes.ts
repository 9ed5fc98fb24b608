/** Times of a schedule: a cron expression, or a time, of a model → its next times, or the problem; pure. */
import { Cron, DateTime, Option, Result } from "effect"
import { quoted } from "./toolInput.ts"

export const minuteMs = 60_000

/** Least time between two runs of a schedule. */
export const leastGapMs = 5 * minuteMs

/** Number of gaps that are examined: a valid expression has at most 288 a day. */
const lookedAt = 300
const farthestMs = 366 * 24 * 60 * minuteMs

const nextOf = (cron: Cron.Cron, after: number): number | undefined => {
  try {
    return Cron.next(cron, after).getTime()
  } catch {
    // Such as 30 February.
    return undefined
  }
}

/** Up to so many times after a time. */
export const timesOf = (cron: Cron.Cron, after: number, most: number): ReadonlyArray<number> => {
  const times: Array<number> = []
  for (let last = nextOf(cron, after); last !== undefined && times.length < most; last = nextOf(cron, last)) {
    times.push(last)
  }
  return times
}

/** Five fields. A stored expression may be of another version, and invalid. */
export const cronOf = (text: string, zone: string): Result.Result<Cron.Cron, string> => {
  const fields = text.trim().split(/\s+/).length
  if (fields !== 5) return Result.fail(`${quoted(text)} has ${fields} fields: minute hour day month weekday are needed`)
  return Result.mapError(
    Cron.parse(text, zone),
    ({ message }) => `${quoted(text)} is not a cron expression: ${message}`
  )
}

export const isZone = (zone: string): boolean => Option.isSome(DateTime.zoneFromString(zone))

/** The times of an expression, after a check that it runs at all, and not too often. */
export const checkedCron = (text: string, zone: string, now: number): Result.Result<ReadonlyArray<number>, string> =>
  Result.flatMap(cronOf(text, zone), (cron) => {
    const times = timesOf(cron, now, lookedAt)
    if (times.length === 0) return Result.fail(`${quoted(text)} never comes`)
    const close = times.findIndex((time, at) => at > 0 && time - (times[at - 1] ?? 0) < leastGapMs)
    if (close === -1) return Result.succeed(times)
    const [one, other] = [times[close - 1] ?? 0, times[close] ?? 0].map((time) => new Date(time).toISOString())
    return Result.fail(`${quoted(text)} runs at ${one} and ${other}: at least 5 minutes must lie between two runs`)
  })

const hasOffset = /(?:z|[+-]\d\d:?\d\d)$/i
const isIso = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:z|[+-]\d\d:?\d\d)?$/i

/** A time without an offset is in the zone. */
export const checkedTime = (text: string, zone: string, now: number): Result.Result<number, string> => {
  const form = `${quoted(text)} is not a time such as "2027-01-31T09:00" or "2027-01-31T09:00:00+01:00"`
  if (!isIso.test(text)) return Result.fail(form)
  const read = hasOffset.test(text)
    ? DateTime.make(text)
    : DateTime.makeZoned(`${text}Z`, { timeZone: zone, adjustForTimeZone: true })
  const time = Option.getOrUndefined(Option.map(read, DateTime.toEpochMillis))
  if (time === undefined || !Number.isFinite(time)) return Result.fail(form)
  if (time <= now) return Result.fail(`${quoted(text)} is over: it is ${new Date(now).toISOString()}`)
  return time - now > farthestMs ? Result.fail(`${quoted(text)} is more than a year away`) : Result.succeed(time)
}

/** Longer than any clock is set forward. */
const skippedMs = 3 * 60 * minuteMs

/**
 * Whether it runs in the minute of a time. A time that is skipped when a clock is set forward comes later, and is only
 * found from the times before it; a time that a clock has twice comes once.
 */
export const runsIn = (cron: Cron.Cron, time: number): boolean => {
  const minute = Math.floor(time / minuteMs) * minuteMs
  let next = nextOf(cron, minute - skippedMs - 1)
  while (next !== undefined && next < minute) next = nextOf(cron, next)
  return next === minute
}
