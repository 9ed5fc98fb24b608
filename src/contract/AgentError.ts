/**
 * The error of a failed run. Messages are composed of fields and never have prompts or secrets, but an excerpt of
 * stderr where the process itself gave no cause. Printed: its message, its stack and a few facts; `reason` and `result`
 * are not enumerable.
 */
import { Schema } from "effect"
import { AgentRunResult } from "./AgentRunResult.ts"
import type { ErrorCategory } from "./ErrorCategory.ts"
import { FailureReason, type RunReason, runReason } from "./FailureReason.ts"
import { helpOf } from "./help.ts"
import { type ErrorParts, errorOfReason } from "./reason.ts"

export { FailureReason } from "./FailureReason.ts"
export * from "./Failures.ts"
export * from "./NotAdmitted.ts"
export * from "./Refusals.ts"

const retryAtOf = (reason: FailureReason) => (reason._tag === "AgentFailed" ? reason.retryAt : undefined)

/** The facts of an error. */
export interface AgentErrorFields {
  /** The id of the CLI, such as `claude`. */
  readonly cli: string
  /** Why it failed; `reason._tag` tells the reasons apart. */
  readonly reason: FailureReason
  /** The result up to the failure. */
  readonly result: AgentRunResult
  /** Text, thinking or a tool call had arrived: a retry repeats some of it. */
  readonly hadOutput: boolean
}

/** An error as JSON: its fields, and the facts that follow from them. */
export interface AgentErrorJson extends Pick<AgentErrorFields, "cli" | "hadOutput"> {
  readonly _tag: "AgentError"
  /** The fields of the reason, with its `_tag`. */
  readonly reason: { readonly _tag: FailureReason["_tag"] }
  /** The result up to the failure. */
  readonly result: object
  /** For people. */
  readonly message: string
  /** The reason in one word, as in `result.reason`. */
  readonly code: RunReason
  /** The category of the error, the same for every CLI. */
  readonly category: ErrorCategory
  /** The same run may succeed if it is tried again. */
  readonly retryable: boolean
  /** The remedy; one or two sentences for people. */
  readonly help: string
  /** ISO time in UTC from which the same run may succeed, if the CLI names the end of a limit. */
  readonly retryAt?: string
}

/** The only error of both doors. Match on `reason._tag`; `result` is the result up to the failure. */
export interface AgentError extends ErrorParts<"AgentError">, AgentErrorFields {
  /** The reason in one word, as in `result.reason`: `not_installed`. */
  readonly code: RunReason
  /** The remedy; one or two sentences for people. */
  readonly help: string
  /** ISO time in UTC from which the same run may succeed, if the CLI names the end of a limit. */
  readonly retryAt?: string
  /** The JSON form: the fields, and the facts that follow from them. The Schema `AgentError` of the Effect door reads it. */
  readonly toJSON: () => AgentErrorJson
}

export const AgentError = errorOfReason<AgentError>()("AgentError", {
  fields: { cli: Schema.String, reason: FailureReason, result: AgentRunResult, hadOutput: Schema.Boolean },
  code: ({ reason }) => runReason[reason._tag],
  help: ({ reason }) => helpOf(reason),
  retryAt: ({ reason }) => retryAtOf(reason),
  /** The CLI, unless the reason names it, and the message of the reason. */
  message: ({ cli, reason: { message } }) => (message.startsWith(`${cli} `) ? message : `${cli}: ${message}`),
  hidden: ["reason", "result"],
  json: ({ message, code, help, retryAt, reason: { category, retryable } }) => ({
    ...{ message, code, category, retryable, help },
    ...(retryAt === undefined ? {} : { retryAt })
  })
})
