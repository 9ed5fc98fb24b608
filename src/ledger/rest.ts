/**
 * What a live session has used beyond the turns of its caller: turns that its CLI began by itself. The end of a session has
 * the sum of all; pure but for the sums that it keeps.
 */
import { addCounts, addUsage, countNames } from "../contract/usage.ts"
import type { AgentRunResult, AgentUsage } from "../types/AgentRunResult.ts"

/** Of the turns of the caller so far. */
export interface SessionSums {
  usage: AgentUsage | undefined
  costUsd: number | undefined
  numTurns: number | undefined
}

type Sum = Pick<AgentRunResult, "usage" | "totalCostUsd" | "numTurns">

export const noTurns = (): SessionSums => ({ usage: undefined, costUsd: undefined, numTurns: undefined })

export const addTurn = (sums: SessionSums, { usage, totalCostUsd, numTurns }: Sum): void => {
  sums.usage = addUsage(sums.usage, usage)
  sums.costUsd = addCounts(sums.costUsd, totalCostUsd)
  sums.numTurns = addCounts(sums.numTurns, numTurns)
}

/** Sums of fractions differ by less than this. */
const leastUsd = 1e-6

const restOfCount = (all: number | undefined, before: number | undefined, least: number): number | undefined => {
  const rest = (all ?? 0) - (before ?? 0)
  return all === undefined || rest < least ? undefined : rest
}

/** Undefined: there is none. */
export const restOf = ({ usage, totalCostUsd, numTurns }: Sum, sums: SessionSums) => {
  const counts = countNames.flatMap((name) => {
    const rest = restOfCount(usage?.[name], sums.usage?.[name], 1)
    return rest === undefined ? [] : [[name, rest] as const]
  })
  const cost = restOfCount(totalCostUsd, sums.costUsd, leastUsd)
  const turns = restOfCount(numTurns, sums.numTurns, 1)
  if (counts.length === 0 && cost === undefined) return undefined
  const rest: Pick<AgentRunResult, "outcome" | "usage" | "totalCostUsd" | "numTurns"> = {
    outcome: "completed",
    usage: counts.length === 0 ? undefined : Object.fromEntries(counts),
    ...(cost === undefined ? {} : { totalCostUsd: cost }),
    ...(turns === undefined ? {} : { numTurns: turns })
  }
  return rest
}
