/**
 * Steps → the report, and the last lines → the verdict (1.18.33). OpenCode prints no result line: a run has succeeded if its
 * last line ends a step without a tool call and the process left with 0. Sub-agents and titles are not counted.
 */
import { Predicate, Result } from "effect"
import { AgentFailed } from "../../../contract/AgentError.ts"
import type { AgentUsage, ProcessExit } from "../../../contract/AgentRunResult.ts"
import { addCounts, addUsage, usageOf } from "../../../contract/addUsage.ts"
import { classify } from "../../../contract/errors/classify.ts"
import { isoTime } from "../../../contract/text/amounts.ts"
import type { RunReport, Standing, Verdict } from "../../Decoder.ts"
import { entryOf, present } from "../../jsonFields.ts"
import * as Wire from "../wire.ts"
import type { State } from "./state.ts"

const stepUsage = ({ tokens }: Wire.StepFinish["part"]): AgentUsage | undefined =>
  usageOf({
    inputTokens: tokens?.input,
    outputTokens: addCounts(tokens?.output, tokens?.reasoning),
    cacheReadTokens: tokens?.cache?.read,
    cacheWriteTokens: tokens?.cache?.write
  })

const stopReasons: Readonly<Record<string, string>> = {
  stop: "end_turn",
  length: "max_tokens",
  "tool-calls": "tool_use"
}

/** The report so far, with one more step. */
export const addStep = (report: RunReport, part: Wire.StepFinish["part"]): RunReport => {
  const usage = addUsage(report.usage, stepUsage(part))
  return {
    ...report,
    numTurns: (report.numTurns ?? 0) + 1,
    stopReason: entryOf(stopReasons, part.reason) ?? part.reason,
    ...present({ usage, totalCostUsd: addCounts(report.totalCostUsd, part.cost) })
  }
}

const bodyCodes = (body: string | null | undefined): ReadonlyArray<string> => {
  const decoded = Wire.decodeResponseBody(body)
  if (Result.isFailure(decoded)) return []
  const { code, type } = decoded.success.error
  return [code, type].filter((word) => Predicate.isString(word))
}

/** `retry-after` is a number of seconds or a date. */
const retryTimes = (headers: Readonly<Record<string, unknown>> | null | undefined) => {
  const header = (name: string) => (Predicate.isString(headers?.[name]) ? headers[name] : "")
  const count = (name: string) => Number.parseFloat(header(name))
  const retryAfterMs = [count("retry-after-ms"), count("retry-after") * 1000].find(
    (ms) => Number.isFinite(ms) && ms >= 0
  )
  const date = Date.parse(header("retry-after"))
  return present({ retryAfterMs, retryAt: retryAfterMs === undefined ? isoTime(date) : undefined })
}

const reasonOf = ({ name, message, data }: Wire.Failure) => {
  const code = data?.statusCode ?? name ?? "unknown"
  const detail = data?.message || message || ""
  return new AgentFailed({
    code: String(code),
    category: classify({ codes: [name, ...bodyCodes(data?.responseBody)], status: data?.statusCode, message: detail }),
    detail,
    ...retryTimes(data?.responseHeaders)
  })
}

/** A refused permission ends the loop quietly, with exit code 0: a step that called tools is the last. */
const stoppedBy = ({ toolName, message }: NonNullable<State["refusal"]>) =>
  new AgentFailed({ code: "permission_rejected", category: "permission", detail: `${toolName}: ${message}` })

/** Certain with the exit; else (a recording) the lines count. Recovered errors still make OpenCode leave with 1. */
export const verdictOf = (state: State, exit: ProcessExit | undefined): Verdict | undefined => {
  const { failure, last, refusal } = state
  const code = exit !== undefined && "code" in exit ? exit.code : undefined
  if (failure !== undefined && (last.type === "error" || (code !== undefined && code !== 0))) {
    return { _tag: "Failure", reason: reasonOf(failure) }
  }
  if (last.type !== "step_finish") return undefined
  if (last.reason !== "tool-calls") return { _tag: "Success" }
  if (refusal === undefined || (exit !== undefined && code !== 0)) return undefined
  return { _tag: "Failure", reason: stoppedBy(refusal) }
}

/** With these a step ends the loop; after all others the model is asked again (1.18.33). */
const lastReasons: ReadonlySet<string> = new Set(["stop", "length"])

/**
 * Only the exit is certain: after a step whose tokens fill the context OpenCode compacts and continues. But a process that is
 * silent after a whole answer is done, unless it has printed an error: then its exit code decides.
 */
export const standingOf = ({ last, openMessage, failure }: State): Standing => {
  const isAnswered = last.type === "step_finish" && lastReasons.has(last.reason) && openMessage === undefined
  return isAnswered && failure === undefined ? "resting" : "working"
}
