/** How budgets stand now: what is spent and reserved in the present window of each subject. */
import { Effect } from "effect"
import type { BudgetState } from "../../../contract/Budget.ts"
import { untraced } from "../../../contract/untraced.ts"
import { countIn, textIn } from "../../../conversations/store/columns.ts"
import type { OpenStore } from "../../../conversations/store/OpenStore.ts"
import { type BudgetOptions, type Definition, fromStored } from "./definition.ts"
import { levelOf } from "./levels.ts"
import { readWindow, type Sums, sumOfEntries } from "./windowRows.ts"
import { keyOf, type Window, windowOf } from "./windows.ts"

/** More are not listed of one budget: those that have spent most are. */
const most = 1_000

const stateOf = ({ definition, subject, starts, ends }: Window, { spent, reserved }: Sums): BudgetState => {
  const { name, per, window, unit, limit } = definition
  const level = levelOf(spent, definition)
  return {
    budget: name,
    per,
    ...(per === "all" ? {} : { subject }),
    window,
    unit,
    limit: fromStored(unit, limit),
    spent: fromStored(unit, spent),
    reserved: fromStored(unit, reserved),
    ...(level === undefined ? {} : { level }),
    ...(ends === undefined ? {} : { startsAt: starts, endsAt: ends })
  }
}

const noRun = { runId: "", cli: "" }

/** A budget for all has a sum, whether it was used or not. */
const stateOfAll = Effect.fn(...untraced("States.stateOfAll"))(function* (
  store: OpenStore,
  definition: Definition,
  zone: string,
  now: number
) {
  const window = windowOf({ ...definition, per: "all" }, noRun, zone, now)
  if (window === undefined) return []
  const known = yield* readWindow(store, window)
  return [stateOf(window, known ?? { spent: yield* sumOfEntries(store, window), reserved: 0 })]
})

/** One state for each subject that has used it; for budgets per run, each run that has not ended. */
const statesOfSubjects = Effect.fn(...untraced("States.statesOfSubjects"))(function* (
  { sql }: OpenStore,
  definition: Definition,
  zone: string,
  now: number
) {
  const { starts = 0, ends } = windowOf({ ...definition, per: "all" }, noRun, zone, now) ?? {}
  const { name, per } = definition
  const isOpen = per === "run" ? sql`reserved > 0` : sql`1 = 1`
  const rows = yield* sql<object>`select window_key, subject, spent, reserved from budget_windows
    where per = ${per} and budget = ${name} and starts = ${starts} and ${isOpen}
    order by spent desc, subject limit ${most}`
  return rows.flatMap((row) => {
    const subject = textIn(row, "subject") ?? ""
    // One of the same name that counts other entries is another budget.
    const key = keyOf(definition, subject, starts, ends)
    if (textIn(row, "window_key") !== key) return []
    const sums = { spent: countIn(row, "spent") ?? 0, reserved: countIn(row, "reserved") ?? 0 }
    return [stateOf({ key, definition, subject, counted: noRun, starts, ends }, sums)]
  })
})

export const readStates = (store: OpenStore, { budgets, zone }: BudgetOptions, now: number) =>
  store.read(
    Effect.map(
      Effect.forEach(budgets, (definition) =>
        definition.per === "all"
          ? stateOfAll(store, definition, zone, now)
          : statesOfSubjects(store, definition, zone, now)
      ),
      (states) => states.flat()
    )
  )
