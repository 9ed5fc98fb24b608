/**
 * The failure of a call → an error of the AI SDK, which retries by itself if it `isRetryable`: only if the same run may
 * succeed, and no output of it had arrived. So an agent never does its work twice.
 */
import type { AgentError } from "../../contract/AgentError.ts"
import type { ErrorEvent } from "../../contract/AgentEvent.ts"

export interface Failure extends Pick<ErrorEvent, "code" | "category" | "message" | "retryable"> {
  readonly retryAfterMs?: number
  readonly help?: string
  readonly cause?: unknown
}

const retryAfter = (reason: object) =>
  "retryAfterMs" in reason && typeof reason.retryAfterMs === "number" ? { retryAfterMs: reason.retryAfterMs } : {}

export const failureOf = (error: AgentError): Failure => {
  const { reason, help, message } = error
  const { code, category, retryable } = reason
  return { code, category, message, retryable, help, cause: error, ...retryAfter(reason) }
}

export interface FailedRun {
  readonly cli: string
  readonly sessionId?: string | undefined
  /** Whether text, thinking or a tool call had arrived. */
  readonly hadOutput: boolean
}

const apiCallError = (failure: Failure, run: FailedRun, { APICallError }: typeof import("ai")) => {
  const { message, code, category, help, retryAfterMs, cause } = failure
  return new APICallError({
    message,
    // Runs make no HTTP request here: the error names the CLI, and never the prompt.
    url: `reins:${run.cli}`,
    requestBodyValues: {},
    isRetryable: failure.retryable && !run.hadOutput,
    ...(retryAfterMs === undefined ? {} : { responseHeaders: { "retry-after-ms": String(retryAfterMs) } }),
    data: { code, category, help, sessionId: run.sessionId },
    cause
  })
}

const errorBy = (failure: Failure, run: FailedRun, sdk: typeof import("ai")): Error => {
  const { code, category, message, help } = failure
  if (category === "auth") {
    return new sdk.LoadAPIKeyError({ message: help === undefined ? message : `${message} ${help}` })
  }
  if (code === "unsupported_option" || code === "unsupported_part") {
    return new sdk.UnsupportedFunctionalityError({ functionality: code, message })
  }
  return apiCallError(failure, run, sdk)
}

/** Without `ai`, as under another framework: the plain error, which is not retried. */
export const errorOf = async (failure: Failure, run: FailedRun): Promise<Error> =>
  import("ai").then(
    (sdk) => errorBy(failure, run, sdk),
    () => new Error(failure.message, { cause: failure.cause })
  )
