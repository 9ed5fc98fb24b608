/** The levels of which this process has told, so that each is told once for each window. */

import type { BudgetLevel } from "../../../contract/Budget.ts"
import { hostWide } from "../../../contract/hostWide.ts"
import { levels } from "./levels.ts"

/** Windows to the place of their highest level; those that were not used for long are forgotten. */
const told = () => hostWide("budget-levels@1", () => new Map<string, number>())

const most = 2_000

/** True once for each level; a level that is passed over is not told later. */
export const isNews = (windowKey: string, level: BudgetLevel): boolean => {
  const map = told()
  const [before = -1, place] = [map.get(windowKey), levels.indexOf(level)]
  if (place <= before) return false
  map.delete(windowKey)
  map.set(windowKey, place)
  const [oldest] = map.keys()
  if (map.size > most && oldest !== undefined) map.delete(oldest)
  return true
}
