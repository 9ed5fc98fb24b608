/**
 * A budget of a day: runs of all programs of this user that name it count, and one that finds no room is not started.
 *
 *     USD_PER_DAY=2 node examples/budget/main.ts "why does the build fail?"
 *
 * The exit code is 4 if the budget has no room, as that of `reins run`. What a subscription pays is not in a budget in US
 * dollars, unless `billing` names it.
 */
import { AgentError, type Budget, createAgent, openStore } from "reins/promise"

const { USD_PER_DAY = "5" } = process.env
const [prompt = "What is this project?"] = process.argv.slice(2)

const budgets: ReadonlyArray<Budget> = [
  { name: "day", window: "day", usd: Number(USD_PER_DAY), reserve: 0.5, onExceeded: "stop" }
]

await using store = await openStore() // in a file of the user, which keeps the sums
await using agent = createAgent("claude", { store, budgets })
try {
  const { text } = await agent.run(
    { prompt, permissionMode: "plan" },
    { onEvent: (event) => event.type === "notice" && event.kind === "budget" && console.error(event.message) }
  )
  console.log(text)
} catch (error) {
  if (!(error instanceof AgentError)) throw error
  console.error(error.message, error.help)
  process.exitCode = error.reason._tag === "BudgetExceeded" ? 4 : 1
}

const { total } = await store.usage({ by: "day" })
console.log(`runs: ${total.runs}, of unknown cost: ${total.unpriced.runs}`)
for (const { budget, spent, limit } of await store.budgets(budgets)) {
  console.log(`${budget}: $${spent.toFixed(2)} of $${limit.toFixed(2)}`)
}
