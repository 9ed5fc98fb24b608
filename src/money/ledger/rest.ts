/** Usage of a live session beyond its caller's turns, of turns that its CLI started; by model if all report models. */
import type { AgentRunResult, AgentUsage, ModelUsage } from "../../contract/AgentRunResult.ts"
import { addCounts, addUsage, countNames } from "../../contract/addUsage.ts"

type Models = ReadonlyMap<string, ModelUsage>

export interface SessionSums {
  usage: AgentUsage | undefined
  costUsd: number | undefined
  numTurns: number | undefined
  /** Undefined if one of them has reported no models. */
  models: Models | undefined
}

type Sum = Pick<AgentRunResult, "usage" | "totalCostUsd" | "numTurns" | "modelUsage">

export const noTurns = (): SessionSums => ({
  usage: undefined,
  costUsd: undefined,
  numTurns: undefined,
  models: new Map()
})

const addModels = (all: Models, more: Readonly<Record<string, ModelUsage>>): Models => {
  const sums = new Map(all)
  for (const [model, usage] of Object.entries(more)) {
    const before = sums.get(model)
    const costUsd = addCounts(before?.costUsd, usage.costUsd)
    sums.set(model, { ...addUsage(before, usage), ...(costUsd === undefined ? {} : { costUsd }) })
  }
  return sums
}

export const addTurn = (sums: SessionSums, { usage, totalCostUsd, numTurns, modelUsage }: Sum): void => {
  sums.usage = addUsage(sums.usage, usage)
  sums.costUsd = addCounts(sums.costUsd, totalCostUsd)
  sums.numTurns = addCounts(sums.numTurns, numTurns)
  if (usage === undefined) return
  sums.models = sums.models && modelUsage && addModels(sums.models, modelUsage)
}

/** Sums of fractions differ by less than this. */
const leastUsd = 1e-6

const restOfCount = (all: number | undefined, before: number | undefined, least: number): number | undefined => {
  const rest = (all ?? 0) - (before ?? 0)
  return all === undefined || rest < least ? undefined : rest
}

const restOfUsage = (all: AgentUsage | undefined, before: AgentUsage | undefined): AgentUsage | undefined => {
  const counts = countNames.flatMap((name) => {
    const rest = restOfCount(all?.[name], before?.[name], 1)
    return rest === undefined ? [] : [[name, rest] as const]
  })
  return counts.length === 0 ? undefined : Object.fromEntries(counts)
}

const restOfModels = (all: Readonly<Record<string, ModelUsage>>, before: Models) =>
  Object.entries(all).flatMap(([model, usage]) => {
    const known = before.get(model)
    const rest = restOfUsage(usage, known)
    const costUsd = restOfCount(usage.costUsd, known?.costUsd, leastUsd)
    if (rest === undefined && costUsd === undefined) return []
    return [[model, { ...rest, ...(costUsd === undefined ? {} : { costUsd }) }] as const]
  })

/** Returns undefined without a rest. */
export const restOf = ({ usage, totalCostUsd, numTurns, modelUsage }: Sum, sums: SessionSums) => {
  const restUsage = restOfUsage(usage, sums.usage)
  const cost = restOfCount(totalCostUsd, sums.costUsd, leastUsd)
  const turns = restOfCount(numTurns, sums.numTurns, 1)
  if (restUsage === undefined && cost === undefined) return undefined
  const models = modelUsage && sums.models ? restOfModels(modelUsage, sums.models) : []
  const rest: Pick<AgentRunResult, "outcome" | "usage" | "totalCostUsd" | "numTurns" | "modelUsage"> = {
    outcome: "completed",
    usage: restUsage,
    ...(cost === undefined ? {} : { totalCostUsd: cost }),
    ...(turns === undefined ? {} : { numTurns: turns }),
    ...(models.length === 0 ? {} : { modelUsage: Object.fromEntries(models) })
  }
  return rest
}
