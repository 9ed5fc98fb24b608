/** Failures → errors of JSON-RPC with a fix, and the end of a turn → its stop reason; pure. */
import { internalError, invalidParams, type RpcError } from "../../cli/jsonRpc.ts"
import type { AgentError, FailureReason } from "../../contract/AgentError.ts"
import type { ErrorEvent } from "../../contract/AgentEvent.ts"
import type { AgentRunResult } from "../../contract/AgentRunResult.ts"
import { helpOf } from "../../contract/help.ts"
import { present } from "../../contract/present.ts"
import type { StoreError } from "../../contract/StoreError.ts"
import { cutAt, harmless } from "../../contract/text/harmless.ts"

/** Code of the protocol: the requested resource does not exist. */
export const notFound = -32002
/** Code of the protocol: the client has cancelled its request. */
export const cancelled = -32800
const longestMessage = 2_000

const errorOf = (code: number, message: string, help: string | undefined, data: object): RpcError => {
  const whole = help === undefined || help === "" ? message : `${message.replace(/[.\s]+$/, "")}. ${help}`
  return { code, message: harmless(cutAt(whole, longestMessage).head), data }
}

const codeOf = (category: string): number => {
  if (category === "session_not_found") return notFound
  return category === "invalid_request" ? invalidParams : internalError
}

export const errorOfFailure = (failure: FailureReason | AgentError): RpcError => {
  const reason = failure._tag === "AgentError" ? failure.reason : failure
  const { code, category, retryable } = reason
  return errorOf(codeOf(category), failure.message, helpOf(reason), { reason: code, category, retryable })
}

export const errorOfStore = ({ reason, help }: StoreError): RpcError => {
  const isUnknown = reason._tag === "UnknownSession" || reason._tag === "NotKept"
  return errorOf(isUnknown ? notFound : internalError, reason.message, help, { reason: reason._tag })
}

/** Codes of CLIs for a turn with too many steps. */
const tooManySteps: ReadonlySet<string> = new Set([
  "error_max_turns",
  "max_turns",
  "max_turn_requests",
  "FatalTurnLimitedError"
])

const stopReasons: Readonly<Record<string, string>> = {
  max_tokens: "max_tokens",
  length: "max_tokens",
  MAX_TOKENS: "max_tokens",
  refusal: "refusal",
  max_turn_requests: "max_turn_requests"
}

type Outcome = { readonly stopReason: string } | { readonly error: RpcError }

export interface TurnEnd {
  readonly result: AgentRunResult
  readonly error: ErrorEvent | undefined
}

export const outcomeOf = ({ result, error }: TurnEnd, isCancelled: boolean): Outcome => {
  const { outcome, reason, stopReason = "", errorSubtype = "" } = result
  if (isCancelled) return { stopReason: "cancelled" }
  if (outcome === "completed") {
    return { stopReason: Object.hasOwn(stopReasons, stopReason) ? (stopReasons[stopReason] ?? "end_turn") : "end_turn" }
  }
  const code = error?.code ?? reason
  if ([code, errorSubtype].some((word) => tooManySteps.has(word))) return { stopReason: "max_turn_requests" }
  if (code === "refusal") return { stopReason: "refusal" }
  const { message = `The turn ended as ${reason}`, category = "other", retryable = false, help } = error ?? {}
  return { error: errorOf(codeOf(category), message, help, { reason, code, category, retryable }) }
}

/** Token counts and costs of a turn: fields that clients of later versions of the protocol know, and ours. */
export const spentOf = ({ usage, totalCostUsd }: AgentRunResult): object => {
  const { inputTokens = 0, outputTokens = 0, cacheReadTokens, cacheWriteTokens } = usage ?? {}
  const counts = {
    inputTokens,
    outputTokens,
    totalTokens: inputTokens + outputTokens + (cacheReadTokens ?? 0) + (cacheWriteTokens ?? 0),
    ...present({ cachedReadTokens: cacheReadTokens, cachedWriteTokens: cacheWriteTokens })
  }
  return {
    ...(usage === undefined ? {} : { usage: counts }),
    ...(totalCostUsd === undefined ? {} : { _meta: { reins: { costUsd: totalCostUsd } } })
  }
}
