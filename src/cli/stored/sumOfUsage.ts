/** Records of usage → their sum, by model; pure. Impossible counts of an untrusted file are dropped. */
import type { AgentUsage, ModelUsage } from "../../contract/AgentRunResult.ts"
import { addCounts, addUsage, countNames, usageOf } from "../../contract/addUsage.ts"
import { stripControls, withoutInvisible } from "../../contract/text/harmless.ts"
import type { StoredUsage } from "../Stored.ts"

export interface FoundSum {
  readonly usage: AgentUsage
  /** Absent if the model of a part is unknown. */
  readonly modelUsage?: { readonly [model: string]: ModelUsage }
  /** Absent if the cost of a part is unknown. */
  readonly totalCostUsd?: number
}

const mostTokens = 1e12
const mostUsd = 1e6
const longestModel = 200

const modelOf = (model: string | undefined): string | undefined =>
  model === undefined || model === "" || model.length > longestModel || withoutInvisible(stripControls(model)) !== model
    ? undefined
    : model

const isCount = (count: number | undefined): boolean =>
  count === undefined || (Number.isSafeInteger(count) && count >= 0 && count <= mostTokens)

const counts = (usage: AgentUsage | undefined): AgentUsage | undefined =>
  usage !== undefined && countNames.every((name) => isCount(usage[name])) ? usageOf(usage) : undefined

const costOf = (costUsd: number | undefined) =>
  costUsd !== undefined && Number.isFinite(costUsd) && costUsd >= 0 && costUsd <= mostUsd ? costUsd : undefined

/** The newest record of an id counts, in each of its facts. */
const joined = (records: ReadonlyArray<StoredUsage>): ReadonlyMap<string, StoredUsage> => {
  const known = new Map<string, StoredUsage>()
  for (const record of records) {
    const newer = known.get(record.id)
    known.set(record.id, {
      id: record.id,
      at: newer?.at ?? record.at,
      usage: newer?.usage ?? record.usage,
      model: newer?.model ?? record.model,
      costUsd: newer?.costUsd ?? record.costUsd
    })
  }
  return known
}

/** `records`: the newest first. Undefined without any usage. */
export const sumOf = (records: ReadonlyArray<StoredUsage>): FoundSum | undefined => {
  const models = new Map<string, ModelUsage>()
  let sum: AgentUsage | undefined
  let cost: number | undefined
  let isCostKnown = true
  let areModelsKnown = true
  for (const record of joined(records).values()) {
    const usage = counts(record.usage)
    if (usage === undefined) continue
    sum = addUsage(sum, usage)
    const costUsd = costOf(record.costUsd)
    cost = addCounts(cost, costUsd)
    isCostKnown &&= costUsd !== undefined
    const model = modelOf(record.model)
    areModelsKnown &&= model !== undefined
    if (model === undefined) continue
    const before = models.get(model)
    const modelCost = before === undefined ? costUsd : addCosts(before.costUsd, costUsd)
    const all = addUsage(before && usageOf(before), usage)
    models.set(model, { ...all, ...(modelCost === undefined ? {} : { costUsd: modelCost }) })
  }
  if (sum === undefined) return undefined
  return {
    usage: sum,
    ...(areModelsKnown ? { modelUsage: Object.fromEntries(models) } : {}),
    ...(isCostKnown && cost !== undefined ? { totalCostUsd: cost } : {})
  }
}

/** A cost of which a part is unknown is unknown. */
const addCosts = (a: number | undefined, b: number | undefined) =>
  a === undefined || b === undefined ? undefined : a + b
