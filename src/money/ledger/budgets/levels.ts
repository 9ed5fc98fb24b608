/** The levels of a budget, and the notice that tells of one; pure. */
import type { BudgetLevel, BudgetNotice } from "../../../contract/Budget.ts"
import type { GateNotice } from "../../../contract/Start.ts"
import { budgetAmount } from "../../../contract/text/amounts.ts"
import { type Definition, fromStored } from "./definition.ts"

export const levels: ReadonlyArray<BudgetLevel> = ["info", "warning", "critical", "exceeded"]

type Limits = Pick<Definition, "limit" | "warnAt">

/** The share of the limit from which each level is reached. A warning that is asked for later than 90 % comes there. */
const shareOf = (level: BudgetLevel, { warnAt }: Limits): number =>
  ({ info: 0.5, warning: warnAt, critical: 0.9, exceeded: 1 })[level]

/** The highest that is reached. */
export const levelOf = (spent: number, limits: Limits): BudgetLevel | undefined =>
  levels.findLast((level) => spent >= limits.limit * shareOf(level, limits))

const words: { readonly [Level in BudgetLevel]: string } = {
  info: "",
  warning: "",
  critical: " (critical)",
  exceeded: " (exceeded)"
}

export const noticeOf = (
  definition: Definition,
  level: BudgetLevel,
  spent: number,
  freeAt: number | undefined
): GateNotice => {
  const { name, unit, limit } = definition
  const data: BudgetNotice = {
    budget: name,
    level,
    unit,
    spent: fromStored(unit, spent),
    limit: fromStored(unit, limit),
    ...(freeAt === undefined ? {} : { freeAt })
  }
  const share = Math.floor((spent / limit) * 100)
  const message = `The budget ${JSON.stringify(name)}: ${budgetAmount(unit, data.spent)} of ${budgetAmount(unit, data.limit)} spent, ${share} %${words[level]}`
  return { kind: "budget", message, data: { ...data } }
}
