/** `reins usage`: the contents of the user's ledger, as rows or as lines of JSON. Loaded only by this command. */
import { Clock, Console, Duration, Effect, Layer, Option } from "effect"
import type { BudgetState } from "../../contract/Budget.ts"
import type { StoreError } from "../../contract/StoreError.ts"
import type { UsageBy, UsageFilter, UsageQuery } from "../../contract/Usage.ts"
import { untraced } from "../../contract/untraced.ts"
import { Ledger } from "../../money/Ledger.ts"
import { oldAfterDays, priceTable, tableAgeDays } from "../../money/prices/table.ts"
import { printingFailures, readStoreConfig, type StoreFlags } from "../database.ts"
import type { Ended } from "../exit.ts"
import { refuse } from "../exit.ts"
import { parseDuration } from "../flags.ts"
import { clip, localTime, oneLine, padEnd, widest } from "../format.ts"
import { currentScene } from "../sessions/table.ts"
import { configuredStore } from "../store.ts"
import { paint, roomOf, type Style, type Surface } from "../style.ts"
import { budgetText, percentOf } from "./amounts.ts"
import { reportLines, shareBar, totalLines } from "./table.ts"

const styles = { info: "green", warning: "yellow", critical: "yellow", exceeded: "red" } as const
const styleOf = ({ level }: BudgetState): Style => (level === undefined ? "green" : styles[level])
const longestName = 30
const widestBar = 30
const leastBar = 6

const nameOf = ({ budget, subject }: BudgetState) =>
  clip([budget, ...(subject === undefined ? [] : [subject])].map(oneLine).join(" · "), longestName)

const endOf = ({ level, endsAt }: BudgetState, zone: string) =>
  level === "exceeded" && endsAt !== undefined ? `, free again ${localTime(endsAt, zone)}` : ""

export const budgetLines = (
  states: ReadonlyArray<BudgetState>,
  zone: string,
  surface: Surface
): ReadonlyArray<string> => {
  const rows = states.map((state) => {
    const text = `${budgetText(state)}  ${percentOf(state)} %${endOf(state, zone)}`
    return { state, name: nameOf(state), text }
  })
  const [names, texts] = [rows.map(({ name }) => name), rows.map(({ text }) => text)]
  const nameWidth = widest(names)
  const left = roomOf(surface) - nameWidth - widest(texts) - 4
  const barWidth = surface.live && left >= leastBar ? Math.min(left, widestBar) : 0
  return rows.map(({ state, name, text }) => {
    const drawn = barWidth === 0 ? [] : [shareBar(state.spent, state.reserved, state.limit, barWidth)]
    const label = surface.live ? name : `budget ${name}`
    const bars = drawn.map((cells) => paint(surface, styleOf(state), cells))
    return [padEnd(label, surface.live ? nameWidth : nameWidth + 7), ...bars, text].join("  ")
  })
}

export interface UsageInput extends StoreFlags {
  readonly by: UsageBy
  readonly since: Option.Option<string>
  readonly until: Option.Option<string>
  readonly zone: Option.Option<string>
  readonly cli: Option.Option<string>
  readonly json: boolean
}

/** `7d` is seven days ago; the library reads other dates and times. */
const momentOf = (text: string, now: number): number | string => {
  const ago = parseDuration(text)
  return ago === undefined ? text : now - Duration.toMillis(ago)
}

const queryOf = ({ by, since, until, cli }: UsageInput, zone: string | undefined, now: number): UsageQuery => ({
  by,
  zone,
  since: Option.getOrUndefined(Option.map(since, (text) => momentOf(text, now))),
  until: Option.getOrUndefined(Option.map(until, (text) => momentOf(text, now))),
  cli: Option.getOrUndefined(cli)
})

const unpricedModels = Effect.fn(...untraced("Perform.unpricedModels"))(function* (filter: UsageFilter) {
  const { rows } = yield* (yield* Ledger).usage({ ...filter, by: "model" })
  return rows.filter(({ unpriced }) => unpriced.runs > 0).map(({ key }) => key ?? "unknown model")
})

const print = Effect.fn(...untraced("Perform.print"))(function* (input: UsageInput, zone: string | undefined) {
  const ledger = yield* Ledger
  const now = yield* Clock.currentTimeMillis
  const query = queryOf(input, zone, now)
  const report = yield* ledger.usage(query)
  const budgets = yield* ledger.budgets
  if (input.json) {
    const { rows, total, by, zone: used } = report
    const lines = [
      ...rows.map((row) => ({ type: "row", by, ...row })),
      { type: "total", by, zone: used, ...total },
      ...budgets.map((state) => ({ type: "budget", ...state }))
    ]
    return yield* Console.log(lines.map((line) => JSON.stringify(line)).join("\n"))
  }
  const { surface } = yield* currentScene
  if (report.rows.length === 0 && budgets.length === 0) {
    return yield* Console.log("Nothing was used yet. Each reins run and reins chat is written here.")
  }
  const unpriced = report.total.unpriced.runs > 0 ? yield* unpricedModels(query) : []
  const age = tableAgeDays(now)
  const old = `prices are those of ${priceTable.published}, ${age} days old; newer ones come with newer versions`
  yield* Console.log(
    [
      ...reportLines(report, surface),
      ...totalLines(report, unpriced, surface),
      ...(budgets.length === 0 ? [] : ["", ...budgetLines(budgets, report.zone, surface)]),
      ...(age > oldAfterDays ? [paint(surface, "dim", old)] : [])
    ].join("\n")
  )
})

/** Problems that only the library can check, in the form of a wrong command line. */
const refused = (error: StoreError): Effect.Effect<never, Ended | StoreError> =>
  error.reason._tag === "InvalidParams"
    ? refuse("usage", [`--${error.reason.option}: ${error.reason.problem}`])
    : Effect.fail(error)

export const printUsage = (input: UsageInput) =>
  Effect.flatMap(readStoreConfig(input), (configuration) => {
    const { budgets, prices } = configuration
    const zone = Option.getOrUndefined(input.zone) ?? configuration.zone
    const ledger = Layer.provide(Ledger.layer({ budgets, prices, zone }), configuredStore(configuration))
    return Effect.provide(print(input, zone), ledger)
  }).pipe(Effect.catchTag("StoreError", refused), printingFailures)
