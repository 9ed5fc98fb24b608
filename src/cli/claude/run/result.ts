/**
 * `result` lines → the report and the verdict of the run (2.1.328). There can be several: the last one decides, and counts are
 * summed. Totals of the whole session are left out when an older session was resumed.
 */
import { Predicate } from "effect"
import { AgentFailed, SchemaNotMet } from "../../../contract/AgentError.ts"
import type { AgentUsage, ModelUsage } from "../../../contract/AgentRunResult.ts"
import { addCounts, addUsage, usageOf } from "../../../contract/addUsage.ts"
import { classify } from "../../../contract/errors/classify.ts"
import type { RunReport, Verdict } from "../../Decoder.ts"
import { present } from "../../jsonFields.ts"
import type { RunResult } from "../wire.ts"
import { isNothing, type Share } from "./totals.ts"

/** The synthetic `assistant` line that comes before an API failure's result, and the last word on rate limits. */
export interface ApiError {
  readonly error?: string | null | undefined
  readonly retryAfterMs?: number | undefined
  readonly retryAt?: string | undefined
}

const addModel = (a: ModelUsage | undefined, b: ModelUsage): ModelUsage => ({
  ...addUsage(usageOf(a ?? {}), usageOf(b)),
  ...present({ costUsd: addCounts(a?.costUsd, b.costUsd) })
})

/** The CLI's own word for a failure; the most specific comes first. */
const errorSubtype = (line: RunResult, apiError: ApiError | undefined) => {
  if (line.is_error === false) return undefined
  if (line.terminal_reason?.startsWith("aborted_")) return line.terminal_reason
  if (line.subtype != null && line.subtype !== "success") return line.subtype
  const error = apiError?.error === "unknown" ? undefined : apiError?.error
  return line.api_error ?? error ?? line.api_error_type ?? line.terminal_reason ?? undefined
}

/** Facts that came before a result. */
interface Before {
  readonly report: RunReport
  /** Usage already reported for it. */
  readonly answers: AgentUsage | undefined
  readonly apiError: ApiError | undefined
  readonly stopReason: string | undefined
}

/** The report so far plus one more result. */
export const addResult = (
  { report, answers, apiError, stopReason }: Before,
  line: RunResult,
  share: Share
): RunReport => {
  const { stopReason: _, errorSubtype: __, totalCostUsd: ___, ...before } = report
  const subtype = errorSubtype(line, apiError)
  // An interrupted turn counts as nothing in the totals, though its answers were reported.
  const isMissing = share.models.length === 0 && line.modelUsage == null && isNothing(share.usage)
  const usage = addUsage(report.usage, isMissing || share.isOfSeveral ? (answers ?? share.usage) : share.usage)
  const denials = (line.permission_denials ?? []).map((denial) => ({
    toolName: denial.tool_name ?? "",
    toolId: denial.tool_use_id ?? "",
    ...(denial.tool_input === undefined ? {} : { input: denial.tool_input })
  }))
  const modelUsage = { ...report.modelUsage }
  for (const [model, counts] of share.models) modelUsage[model] = addModel(modelUsage[model], counts)
  return {
    ...before,
    ...present({ usage }),
    modelUsage,
    permissionDenials: [...(report.permissionDenials ?? []), ...denials],
    ...present({
      numTurns: addCounts(report.numTurns, line.num_turns),
      totalCostUsd: share.isCostUnknown ? undefined : addCounts(report.totalCostUsd, share.costUsd),
      apiDurationMs: addCounts(report.apiDurationMs, share.apiMs),
      // A turn without an answer has only the CLI's own word for its end.
      stopReason: stopReason ?? line.stop_reason ?? line.subtype,
      errorSubtype: subtype
    }),
    ...(line.structured_output === undefined ? {} : { structuredOutput: line.structured_output })
  }
}

const detailOf = (line: RunResult, subtype: string | undefined) => {
  if (subtype?.startsWith("aborted_")) return "The CLI was interrupted"
  if (line.subtype === "success") return line.result ?? ""
  return (line.errors ?? []).map((error) => (Predicate.isString(error) ? error : JSON.stringify(error))).join("; ")
}

const longestProblem = 300

/** Only `is_error: false` is success; the subtype says "success" for failures of the API, too. */
export const verdictOf = (line: RunResult, apiError: ApiError | undefined): Verdict => {
  if (line.is_error === false) return { _tag: "Success" }
  const subtype = errorSubtype(line, apiError)
  const detail = detailOf(line, subtype)
  if (line.subtype === "error_max_structured_output_retries") {
    const message = detail === "" ? "the CLI gave up after its retries" : detail.slice(0, longestProblem)
    return { _tag: "Failure", reason: new SchemaNotMet({ errors: [{ path: "", message }] }) }
  }
  const reason = new AgentFailed({
    code: subtype ?? "unknown",
    category: classify({
      codes: [line.terminal_reason, line.api_error, apiError?.error, line.api_error_type],
      status: line.api_error_status,
      message: detail
    }),
    detail,
    ...present({ retryAfterMs: apiError?.retryAfterMs, retryAt: apiError?.retryAt })
  })
  return { _tag: "Failure", reason }
}
