/** What is spent and reserved of a budget, as a bar with words. */
import { h } from "./elements.js"
import { money } from "./format.js"
import { words } from "./words.js"

const nearly = 0.8
const almostAll = 0.97

/** @param {import("./types.js").BudgetRow} budget @param {string} id */
export const meter = (budget, id) => {
  const share = budget.limit > 0 ? Math.min(1, (budget.spent + budget.reserved) / budget.limit) : 1
  const level = share >= almostAll ? "bad" : share >= nearly ? "warn" : "ok"
  const label = h(
    "label",
    { htmlFor: id },
    h("span.num", {}, words.spentOf(money(budget.spent), money(budget.limit))),
    h("span.soft", {}, ` ${budget.name}`)
  )
  return h("div.meter", { "data-level": level }, label, h("progress", { id, max: 1, value: share }))
}
