/** The budget that is closest to its end, as the page shows it. */
import { Context, Effect, Layer, type Scope } from "effect"
import type { BudgetState } from "../../contract/Budget.ts"
import type { Configuration } from "../../contract/Configuration.ts"
import type { OpenStore } from "../../conversations/store/OpenStore.ts"
import { Store } from "../../conversations/store/Store.ts"
import { Ledger } from "../../money/Ledger.ts"
import { localTime } from "../localTime.ts"
import type { WebBudget } from "./webChannel.ts"

const shareOf = ({ spent, reserved, limit }: BudgetState) => (spent + reserved) / limit

export const rowOfBudgets = (states: ReadonlyArray<BudgetState>): WebBudget | undefined => {
  const [first] = states.filter(({ unit }) => unit === "usd").sort((a, b) => shareOf(b) - shareOf(a))
  if (first === undefined) return undefined
  const { budget: name, spent, reserved, limit, endsAt } = first
  return { name, spent, reserved, limit, ...(endsAt === undefined ? {} : { again: localTime(endsAt) }) }
}

export const budgetRow = Effect.fnUntraced(function* (
  { budgets, zone, prices }: Configuration,
  store: OpenStore
): Effect.fn.Return<Effect.Effect<WebBudget | undefined>, never, Scope.Scope> {
  if (budgets === undefined || budgets.length === 0) return Effect.succeed(undefined)
  const ledger = Layer.orDie(Ledger.layer({ budgets, zone, prices }))
  const built = yield* Layer.build(Layer.provide(ledger, Layer.succeed(Store, store)))
  return Effect.orElseSucceed(Effect.map(Context.get(built, Ledger).budgets, rowOfBudgets), () => undefined)
})
