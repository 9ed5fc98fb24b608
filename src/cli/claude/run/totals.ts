/**
 * `result` lines have cost, time and tokens by model for the whole session; this computes the share of each result (2.1.328).
 * Since 2.1.309 the lines have it themselves. For a resumed session the totals before its first result are unknown.
 */
import type { AgentUsage, ModelUsage } from "../../../contract/AgentRunResult.ts"
import { addCounts, addUsage, countNames, usageOf } from "../../../contract/addUsage.ts"
import { present } from "../../jsonFields.ts"
import type * as Wire from "../wire.ts"
import { usageOfCounts } from "./answers.ts"

/** The share of one result in the totals. */
export interface Share {
  readonly models: ReadonlyArray<readonly [string, ModelUsage]>
  /** Undefined if it was not reported, or did not change. */
  readonly usage: AgentUsage | undefined
  readonly costUsd: number | undefined
  readonly apiMs: number | undefined
  /** Only the cost of the whole session is reported; the share of this result is unknown. */
  readonly isCostUnknown: boolean
  /** Includes the share of a result that did not come, whose usage was reported by its answers. */
  readonly isOfSeveral: boolean
}

export interface Totals {
  readonly share: (line: Wire.RunResult) => Share
  /** A result did not come: its share is in the next one. */
  readonly missed: () => void
  /** The CLI counts from 0 again. */
  readonly reset: () => void
}

type Models = Readonly<Record<string, ModelUsage>>

interface Known {
  readonly models: Models | undefined
  readonly costUsd: number | undefined
  readonly apiMs: number | undefined
}

const beginning: Known = { models: {}, costUsd: 0, apiMs: 0 }
const nothingKnown: Known = { models: undefined, costUsd: undefined, apiMs: undefined }

const modelsOf = (counts: Wire.RunResult["modelUsage"]): Models =>
  Object.fromEntries(
    Object.entries(counts ?? {}).map(([model, count]) => {
      const usage = usageOf({
        inputTokens: count.inputTokens,
        outputTokens: count.outputTokens,
        cacheReadTokens: count.cacheReadInputTokens,
        cacheWriteTokens: count.cacheCreationInputTokens
      })
      return [model, { ...usage, ...present({ costUsd: count.costUSD }) }]
    })
  )

/** A decreased total was counted from 0 again. */
const increase = (before: number | undefined, now: number | undefined) => {
  if (before === undefined || now === undefined) return undefined
  return now >= before ? now - before : now
}

const names = [...countNames, "costUsd"] as const

/** Models whose counts have grown. */
const increases = (before: Models, now: Models): Share["models"] =>
  Object.entries(now).flatMap(([model, after]) => {
    const more: { -readonly [Name in keyof ModelUsage]: ModelUsage[Name] } = {}
    let isMore = false
    for (const name of names) {
      const count = increase(before[model]?.[name] ?? 0, after[name])
      if (count === undefined) continue
      more[name] = count
      isMore ||= count > 0
    }
    return isMore ? [[model, more] as const] : []
  })

export const isNothing = (usage: AgentUsage | undefined) => countNames.every((name) => (usage?.[name] ?? 0) === 0)
const costOf = ({ total_cost_usd, cost_usd }: Wire.RunResult) => total_cost_usd ?? cost_usd ?? undefined

export const makeTotals = (resumed: boolean): Totals => {
  let known = resumed ? nothingKnown : beginning
  let isOfSeveral = false

  /** Without a share of its own, either nothing is new, or this version has none. */
  const modelShare = (line: Wire.RunResult, total: Models): Share["models"] => {
    const own = line.model_usage_since_last_result
    if (own != null && Object.keys(own).length > 0) return Object.entries(modelsOf(own))
    return known.models === undefined ? [] : increases(known.models, total)
  }

  const usageShare = (line: Wire.RunResult, models: Share["models"]) => {
    if (models.length > 0) return models.map(([, usage]) => usageOf(usage)).reduce(addUsage)
    const isAllKnown = Object.keys(known.models ?? {}).length > 0 && line.modelUsage != null
    // These are of the main thread alone, and 0 for a turn that was interrupted.
    return isAllKnown ? undefined : usageOfCounts(line.usage)
  }

  const costShare = (line: Wire.RunResult, models: Share["models"], usage: AgentUsage | undefined) => {
    const byModel = models.map(([, { costUsd }]) => costUsd).reduce(addCounts, undefined)
    // A result that used no tokens cost nothing.
    const isReported = line.model_usage_since_last_result != null || line.local_command != null
    const isFree = isReported && isNothing(usage)
    return byModel ?? increase(known.costUsd, costOf(line)) ?? (isFree ? 0 : undefined)
  }

  return {
    share: (line) => {
      // A command of the CLI's own reports no time.
      const apiTotal = line.local_command == null ? (line.duration_api_ms ?? undefined) : known.apiMs
      const total = modelsOf(line.modelUsage)
      const models = modelShare(line, total)
      const usage = usageShare(line, models)
      const costUsd = costShare(line, models, usage)
      const apiMs = increase(known.apiMs, apiTotal)
      const isCostUnknown = costUsd === undefined && (costOf(line) ?? 0) > 0
      known = {
        models: line.modelUsage == null ? known.models : total,
        costUsd: costOf(line) ?? known.costUsd,
        apiMs: apiTotal ?? known.apiMs
      }
      const share = { models, usage, costUsd, apiMs, isCostUnknown, isOfSeveral }
      isOfSeveral = false
      return share
    },
    missed: () => {
      isOfSeveral = true
    },
    reset: () => {
      known = beginning
      isOfSeveral = false
    }
  }
}
