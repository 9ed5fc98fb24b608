/** The query of a caller, checked, with times as numbers; pure. Each message names the culprit and the cure. */
import { Result, Schema } from "effect"
import { InvalidParams } from "../../contract/AgentError.ts"
import { makeParser } from "../../contract/checkInput.ts"
import type { UsageBy, UsageMoment } from "../../contract/Usage.ts"
import { checkZone, startOfDate } from "./zones.ts"

const bys = ["day", "month", "model", "cli", "session", "project", "user"] as const satisfies ReadonlyArray<UsageBy>
const Moment = Schema.Union([Schema.Finite, Schema.String, Schema.Date])
const Text = Schema.optional(Schema.NonEmptyString)

const filter = {
  since: Schema.optional(Moment),
  until: Schema.optional(Moment),
  zone: Schema.optional(Schema.String),
  cli: Text,
  model: Text,
  sessionId: Text,
  runId: Text,
  project: Text,
  user: Text
}

const Filter = Schema.Struct(filter)
const parseFilter = makeParser(Filter, "filter")
const parseQuery = makeParser(Schema.Struct({ ...filter, by: Schema.optional(Schema.Literals(bys)) }), "query")

export interface Conditions extends Omit<typeof Filter.Type, "since" | "until" | "zone"> {
  readonly zone: string
  /** In ms since 1970, included. */
  readonly since: number | undefined
  /** Excluded. */
  readonly until: number | undefined
}

export interface Query extends Conditions {
  readonly by: UsageBy
}

const date = /^(\d{4})-(0[1-9]|1[0-2])(?:-(0[1-9]|[12]\d|3[01]))?$/
const instant = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$/

/** Years 1 to 9999: later ones are not times of a run, and overflow in a database. */
const isTime = (ms: number) => Number.isFinite(ms) && ms > -6.3e13 && ms < 2.6e14

const invalid = (option: string, problem: string) => Result.fail(new InvalidParams({ option, problem }))

const momentOf = (option: string, input: UsageMoment | undefined, zone: string) => {
  if (input === undefined) return Result.succeed(undefined)
  if (typeof input !== "string") {
    const ms = Number(input)
    return isTime(ms) ? Result.succeed(Math.round(ms)) : invalid(option, "is not a time: give ms since 1970 or a Date")
  }
  const [, year, month, day = "01"] = date.exec(input) ?? []
  if (year !== undefined && month !== undefined) {
    const isDay = new Date(`${year}-${month}-${day}T00:00:00Z`).getUTCDate() === Number(day)
    if (isDay) return Result.succeed(startOfDate({ year: Number(year), month: Number(month), day: Number(day) }, zone))
  }
  const ms = instant.test(input) ? Date.parse(input) : Number.NaN
  if (isTime(ms)) return Result.succeed(ms)
  return invalid(
    option,
    `${JSON.stringify(input.slice(0, 40))} is not a time: write 2026-11-23, 2026-11 or 2026-11-23T10:00:00Z`
  )
}

const checked = ({ since, until, zone, ...others }: typeof Filter.Type, defaultZone: string | undefined) =>
  Result.gen(function* () {
    const known = yield* checkZone(zone ?? defaultZone)
    const conditions: Conditions = {
      ...others,
      zone: known,
      since: yield* momentOf("since", since, known),
      until: yield* momentOf("until", until, known)
    }
    return conditions
  })

/** `zone`: where the caller names none; default: that of the host. */
export const checkFilter = (input: unknown, zone?: string): Result.Result<Conditions, InvalidParams> =>
  Result.flatMap(parseFilter(input ?? {}), (parsed) => checked(parsed, zone))

export const checkQuery = (input: unknown, zone?: string): Result.Result<Query, InvalidParams> =>
  Result.flatMap(parseQuery(input ?? {}), ({ by = "day", ...parsed }) =>
    Result.map(checked(parsed, zone), (conditions) => ({ ...conditions, by }))
  )
