/** The outcome of a turn: the answer to its prompt → a verdict and a report; a JSON-RPC error → a reason; pure. */
import { AgentFailed } from "../../../contract/AgentError.ts"
import type { AcpUsage } from "../../../contract/AgentOptions.ts"
import type { AgentUsage } from "../../../contract/AgentRunResult.ts"
import { addCounts, subtractUsage, usageOf } from "../../../contract/addUsage.ts"
import { classify } from "../../../contract/errors/classify.ts"
import type { RunReport, Verdict } from "../../Decoder.ts"
import { entryOf, present } from "../../jsonFields.ts"
import { invalidParams, methodNotFound, type RpcError } from "../../jsonRpc.ts"
import { textIn } from "../../toolInputs.ts"
import type { PromptResult } from "../wire.ts"
import type { TurnFacts } from "./flavor.ts"

/** Stop reasons with which the turn was not completed. */
const failures: Readonly<Record<string, string>> = {
  max_turn_requests: "The agent has reached its limit of requests in one turn",
  refusal: "The agent refuses to go on"
}

export const verdictOf = ({ stopReason }: PromptResult): Verdict => {
  const detail = entryOf(failures, stopReason ?? "")
  if (stopReason == null || detail === undefined) return { _tag: "Success" }
  return { _tag: "Failure", reason: new AgentFailed({ code: stopReason, category: "other", detail }) }
}

/** Thoughts are paid for as output. */
export const usageIn = ({ usage }: PromptResult): AgentUsage | undefined =>
  usageOf({
    inputTokens: usage?.inputTokens,
    outputTokens: addCounts(usage?.outputTokens, usage?.thoughtTokens),
    cacheReadTokens: usage?.cachedReadTokens,
    cacheWriteTokens: usage?.cachedWriteTokens
  })

/** The agent reports the cost of the session; that of a turn is the increase, rounded, since differences are a little off. */
const costOf = ({ costBefore, costAfter }: TurnFacts) => {
  if (costBefore === undefined || costAfter === undefined || costAfter < costBefore) return undefined
  return Math.round((costAfter - costBefore) * 1e12) / 1e12
}

export const reportOf = (result: PromptResult, turn: TurnFacts): RunReport =>
  present({ stopReason: result.stopReason, usage: usageIn(result), totalCostUsd: costOf(turn) })

/** For an agent that reports the usage of the session so far: that of a turn is the increase. */
const reportOfTotals = (result: PromptResult, turn: TurnFacts): RunReport => {
  const { usage: total, ...report } = reportOf(result, turn)
  return { ...report, ...present({ usage: subtractUsage(total, turn.usageBefore) }) }
}

/** For an agent that reports the usage of its last answer: that of a turn with tool calls, or a cut-off one, is unknown. */
const reportOfAnswers = (result: PromptResult, turn: TurnFacts): RunReport => {
  const { usage, totalCostUsd, ...report } = reportOf(result, turn)
  const isCut = result.stopReason == null || result.stopReason === "cancelled"
  // For a cut-off turn, 0 only means that no answer was finished.
  const isCostUnknown = isCut && totalCostUsd === 0
  return {
    ...report,
    ...(isCostUnknown ? {} : present({ totalCostUsd })),
    ...(isCut || turn.toolCount > 0 ? {} : present({ usage }))
  }
}

export const reports: Readonly<Record<AcpUsage, typeof reportOf>> = {
  turn: reportOf,
  session: reportOfTotals,
  answer: reportOfAnswers
}

/** Code of the protocol: the agent requires signing in first. */
const authRequired = -32000
const resourceNotFound = -32002

const textsIn = (data: unknown): ReadonlyArray<string> =>
  typeof data === "string"
    ? [data]
    : ["details", "message", "errorName", "service"].flatMap((key) => textIn(data, key) ?? [])

/** The details are used where the message is only the name of a code. */
export const detailOf = ({ message, data }: RpcError): string => {
  const details = textIn(data, "details")
  return details === undefined || message.includes(details) ? message : `${message}: ${details}`
}

/** Some agents give the HTTP status as the code. */
const statusOf = ({ code }: RpcError) => (code >= 400 && code < 600 ? code : undefined)

export const failureOf = (error: RpcError): AgentFailed => {
  const detail = detailOf(error)
  const isOurs = [invalidParams, methodNotFound, resourceNotFound].includes(error.code)
  return new AgentFailed({
    code: String(error.code),
    category: classify({
      codes: error.code === authRequired ? ["authentication_failed"] : textsIn(error.data),
      status: statusOf(error),
      message: [detail, ...textsIn(error.data)].join("\n"),
      otherwise: isOurs ? "invalid_request" : "other"
    }),
    detail
  })
}

/** For an answer that the protocol does not have. */
export const protocolFailure = (detail: string) => new AgentFailed({ code: "protocol", category: "protocol", detail })
