/** Usage and cost: sums, and what is left of a session's own when that of its turns is taken off; pure. */

import type { AgentUsage } from "../../contract/AgentRunResult.ts"
import { addUsage, countsBy } from "../../contract/addUsage.ts"

export interface Spent {
  readonly usage: AgentUsage | undefined
  readonly totalCostUsd?: number | undefined
}

/** A cost that one of them does not know is left out. */
export const sumOf = (a: Spent, b: Spent): Spent => ({
  usage: addUsage(a.usage, b.usage),
  totalCostUsd: a.totalCostUsd === undefined ? b.totalCostUsd : a.totalCostUsd + (b.totalCostUsd ?? 0)
})

const less = (whole: number | undefined, part: number | undefined) =>
  whole === undefined ? undefined : Math.max(0, whole - (part ?? 0))

export const without = (whole: Spent, part: Spent): Spent => ({
  usage: whole.usage && countsBy((name) => less(whole.usage?.[name], part.usage?.[name])),
  totalCostUsd: less(whole.totalCostUsd, part.totalCostUsd)
})
