/** Days and months of a time zone; pure. A day begins where its date is first shown; a skipped date has none. */
import { Result } from "effect"
import { InvalidParams } from "../../contract/AgentError.ts"

/** Default: that of the host. */
export const checkZone = (zone: unknown): Result.Result<string, InvalidParams> => {
  if (zone === undefined) return Result.succeed(hostZone())
  if (typeof zone === "string" && isZone(zone)) return Result.succeed(zone)
  const named = typeof zone === "string" ? JSON.stringify(zone.slice(0, 40)) : "it"
  const problem = `${named} is not a time zone: write one such as Europe/Berlin or UTC`
  return Result.fail(new InvalidParams({ option: "zone", problem }))
}

/** A date without a zone: `month` from 1. */
export interface LocalDate {
  readonly year: number
  readonly month: number
  readonly day: number
}

const formats = new Map<string, Intl.DateTimeFormat>()

/** Kept, since making one takes longer than all of its uses. Throws a RangeError for an unknown zone. */
const formatOf = (zone: string) => {
  const known = formats.get(zone)
  if (known !== undefined) return known
  const numeric = "numeric"
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    calendar: "gregory",
    numberingSystem: "latn",
    year: numeric,
    month: numeric,
    day: numeric
  })
  if (formats.size > 50) formats.clear()
  formats.set(zone, format)
  return format
}

/** A name of the IANA database, such as `Europe/Berlin`, or an offset, such as `+05:30`. */
export const isZone = (zone: string): boolean => {
  try {
    formatOf(zone)
    return true
  } catch {
    return false
  }
}

const hostZone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone

export const localDate = (at: number, zone: string): LocalDate => {
  const parts = { year: 0, month: 0, day: 0 }
  for (const { type, value } of formatOf(zone).formatToParts(at)) {
    if (type === "year" || type === "month" || type === "day") parts[type] = Number(value)
  }
  return parts
}

/** Days since 1970 of a calendar without zones: comparable. */
const dayNumber = ({ year, month, day }: LocalDate) => Date.UTC(year, month - 1, day) / 86_400_000

const hour = 3_600_000
/** No zone is, or was, further from UTC; and none goes over midnight twice. */
const furthest = 16 * hour

/** By search: what a clock shows is all that is known of a zone. */
const findStart = (target: number, zone: string): number => {
  let [before, from] = [target * 24 * hour - furthest, target * 24 * hour + furthest]
  while (from - before > 1) {
    const middle = Math.floor((before + from) / 2)
    if (dayNumber(localDate(middle, zone)) >= target) from = middle
    else before = middle
  }
  return from
}

const found = new Map<string, number>()

/** The first moment of the date, or of the next one that there is. A `day` beyond its month is one of the next months. */
export const startOfDate = (date: LocalDate, zone: string): number => {
  const target = dayNumber(date)
  const key = `${target} ${zone}`
  const known = found.get(key)
  if (known !== undefined) return known
  const start = findStart(target, zone)
  if (found.size > 2_000) found.clear()
  found.set(key, start)
  return start
}

/** From its first moment on, before that of the next. */
export interface Span {
  readonly starts: number
  readonly ends: number
}

/** Clocks that go back over midnight show a date twice: such a moment is of the day that has begun last. */
const spanFrom = (at: number, starts: ReadonlyArray<number>): Span => {
  const index = starts.findLastIndex((start) => start <= at)
  return { starts: starts[index] ?? at, ends: starts[index + 1] ?? at + 1 }
}

export const dayOf = (at: number, zone: string): Span => {
  const date = localDate(at, zone)
  return spanFrom(
    at,
    [-1, 0, 1, 2, 3].map((days) => startOfDate({ ...date, day: date.day + days }, zone)).filter(isNew)
  )
}

export const monthOf = (at: number, zone: string): Span => {
  const { year, month } = localDate(at, zone)
  return spanFrom(
    at,
    [-1, 0, 1, 2].map((months) => startOfDate({ year, month: month + months, day: 1 }, zone))
  )
}

/** A skipped date begins where the next one does. */
const isNew = (start: number, index: number, starts: ReadonlyArray<number>) => start !== starts[index + 1]
