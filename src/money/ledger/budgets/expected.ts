/** What is reserved for a run that names no amount: what nine of ten of the last runs of its model needed. */
import { Effect } from "effect"
import type { BudgetUnit } from "../../../contract/Budget.ts"
import { countIn } from "../../../conversations/store/columns.ts"
import type { OpenStore } from "../../../conversations/store/OpenStore.ts"
import { toStored } from "./amounts.ts"

/** As long as too few runs are known. */
const usual: { readonly [Unit in BudgetUnit]: number } = { usd: toStored("usd", 0.5), tokens: 100_000, turns: 10 }

const [most, fewest] = [20, 5]

/** The entries that are looked at: the newest, of whatever model. */
const newest = 500

/** The amount that nine of ten do not exceed; pure. */
export const expectedOf = (amounts: ReadonlyArray<number>, unit: BudgetUnit): number => {
  if (amounts.length < fewest) return usual[unit]
  const inOrder = amounts.toSorted((a, b) => a - b)
  return Math.max(1, inOrder[Math.ceil(inOrder.length * 0.9) - 1] ?? usual[unit])
}

/** Without a model, of all runs of its CLI. */
export const readExpected = ({ sql }: OpenStore, unit: BudgetUnit, cli: string, model: string | undefined) => {
  const amount = {
    usd: sql`micros`,
    tokens: sql`coalesce(input, 0) + coalesce(output, 0) + coalesce(cache_read, 0) + coalesce(cache_write, 0)`,
    turns: sql`turns`
  }[unit]
  const ofModel = model === undefined ? sql`1 = 1` : sql`max(case when model = ${model} then 1 else 0 end) = 1`
  const rows = sql<object>`select sum(${amount}) as amount from
      (select * from usage_entries order by at desc, entry_id desc limit ${newest}) as newest
    where cli = ${cli} group by run_id, turn_id having ${ofModel} and sum(${amount}) > 0
    order by max(at) desc limit ${most}`
  return Effect.map(rows, (found) =>
    expectedOf(
      found.flatMap((row) => countIn(row, "amount") ?? []),
      unit
    )
  )
}
