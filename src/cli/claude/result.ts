/**
 * `result` lines → the report and the verdict of the run (2.1.328). There can be several: the last one decides, and
 * counts are summed. Whatever is told for the session as a whole is left out when an older session was resumed.
 */
import { Predicate } from "effect"
import { AgentFailed } from "../../AgentError.ts"
import type { AgentUsage, ModelUsage } from "../../AgentRunResult.ts"
import { classify } from "../../errors/classify.ts"
import { addCounts, addUsage, usageOf } from "../../usage.ts"
import type { RunReport, Verdict } from "../Cli.ts"
import type { RunResult } from "./wire.ts"

/** The synthetic `assistant` line that comes before an API failure's result, and the last word on rate limits. */
export interface ApiError {
  readonly error?: string | null | undefined
  readonly retryAfterMs?: number | undefined
}

const addModel = (a: ModelUsage | undefined, b: ModelUsage): ModelUsage => ({
  ...addUsage(a, b),
  ...told("costUsd", addCounts(a?.costUsd, b.costUsd))
})

const told = <Name extends string>(name: Name, count: number | null | undefined): { [N in Name]?: number } =>
  typeof count === "number" ? ({ [name]: count } as { [N in Name]: number }) : {} // a computed key widens to string

const usageByModel = (line: RunResult): ReadonlyArray<readonly [string, ModelUsage]> =>
  Object.entries(line.model_usage_since_last_result ?? {}).map(([model, counts]) => [
    model,
    {
      ...usageOf({
        inputTokens: counts.inputTokens,
        outputTokens: counts.outputTokens,
        cacheReadTokens: counts.cacheReadInputTokens,
        cacheWriteTokens: counts.cacheCreationInputTokens
      }),
      ...told("costUsd", counts.costUSD)
    }
  ])

const turnUsage = ({ usage }: RunResult): AgentUsage | undefined =>
  usageOf({
    inputTokens: usage?.input_tokens,
    outputTokens: usage?.output_tokens,
    cacheReadTokens: usage?.cache_read_input_tokens,
    cacheWriteTokens: usage?.cache_creation_input_tokens
  })

/** `usage` counts the main thread of one turn; the counts by model also have sub-agents and streams given up. */
const resultUsage = (line: RunResult): AgentUsage | undefined => {
  if (line.model_usage_since_last_result == null) return turnUsage(line)
  const models = usageByModel(line).map(([, usage]) => usageOf(usage))
  return models.length === 0 ? { inputTokens: 0, outputTokens: 0 } : models.reduce(addUsage)
}

/** Cost of the run with this result. The total is the session's: it stands in where it is the run's, too. */
const costOf = (before: number | undefined, line: RunResult, resumed: boolean) => {
  if (line.model_usage_since_last_result == null) return resumed ? before : (line.total_cost_usd ?? before)
  return usageByModel(line).reduce((sum, [, usage]) => sum + (usage.costUsd ?? 0), before ?? 0)
}

/** The CLI's own word for a failure, the most telling first. */
const errorSubtype = (line: RunResult, apiError: ApiError | undefined) => {
  if (line.is_error === false) return undefined
  if (line.terminal_reason?.startsWith("aborted_")) return line.terminal_reason
  if (line.subtype != null && line.subtype !== "success") return line.subtype
  const error = apiError?.error === "unknown" ? undefined : apiError?.error
  return line.api_error ?? error ?? line.api_error_type ?? line.terminal_reason ?? undefined
}

/** The report so far, with one more result. */
export const addResult = (
  report: RunReport,
  line: RunResult,
  apiError: ApiError | undefined,
  resumed: boolean
): RunReport => {
  const { stopReason: _, errorSubtype: __, ...before } = report
  const subtype = errorSubtype(line, apiError)
  const usage = resultUsage(line)
  const denials = (line.permission_denials ?? []).map((denial) => ({
    toolName: denial.tool_name ?? "",
    toolId: denial.tool_use_id ?? "",
    ...(denial.tool_input === undefined ? {} : { input: denial.tool_input })
  }))
  const modelUsage = { ...report.modelUsage }
  for (const [model, usage] of usageByModel(line)) modelUsage[model] = addModel(modelUsage[model], usage)
  return {
    ...before,
    ...(usage === undefined ? {} : { usage: addUsage(report.usage, usage) ?? usage }),
    modelUsage,
    permissionDenials: [...(report.permissionDenials ?? []), ...denials],
    ...told("numTurns", line.num_turns == null ? report.numTurns : (report.numTurns ?? 0) + line.num_turns),
    ...told("totalCostUsd", costOf(report.totalCostUsd, line, resumed)),
    ...told("apiDurationMs", resumed ? undefined : line.duration_api_ms),
    ...(line.stop_reason == null ? {} : { stopReason: line.stop_reason }),
    ...(subtype === undefined ? {} : { errorSubtype: subtype }),
    ...(line.structured_output === undefined ? {} : { structuredOutput: line.structured_output })
  }
}

const detailOf = (line: RunResult, subtype: string | undefined) => {
  if (subtype?.startsWith("aborted_")) return "The CLI was interrupted"
  if (line.subtype === "success") return line.result ?? ""
  return (line.errors ?? []).map((error) => (Predicate.isString(error) ? error : JSON.stringify(error))).join("; ")
}

/** Success only by `is_error: false`; the subtype says "success" for failures of the API, too. */
export const verdictOf = (line: RunResult, apiError: ApiError | undefined): Verdict => {
  if (line.is_error === false) return { _tag: "Success" }
  const subtype = errorSubtype(line, apiError)
  const detail = detailOf(line, subtype)
  const reason = new AgentFailed({
    code: subtype ?? "unknown",
    category: classify({
      codes: [line.terminal_reason, line.api_error, apiError?.error, line.api_error_type],
      status: line.api_error_status,
      message: detail
    }),
    detail,
    ...told("retryAfterMs", apiError?.retryAfterMs)
  })
  return { _tag: "Failure", reason }
}
