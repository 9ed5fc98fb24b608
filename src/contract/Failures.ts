/** Failure reasons of runs that had started: the CLI failed, was ended, or did not do what was requested. */
import { Schema } from "effect"
import { ErrorCategory } from "./ErrorCategory.ts"
import { plainWords } from "./plainWords.ts"
import { facts, type ReasonParts, reason } from "./reason.ts"
import { schemaOf } from "./schemaOf.ts"
import { signalOf } from "./signals.ts"

/** The caller aborted the run. */
export interface Aborted extends ReasonParts<"Aborted", "aborted", "aborted", false> {
  /** Present if the call came too late: the agent or the session was closed, or aborted, before. */
  readonly closed?: "agent" | "session"
}

export const Aborted = reason<Aborted>()("Aborted", {
  fields: { closed: Schema.optionalKey(Schema.Literals(["agent", "session"])) },
  ...facts("aborted", "aborted", false),
  message: ({ closed }) => (closed === undefined ? "The run was aborted" : `The ${closed} is closed`)
})

/** The state of the run when a time limit was reached. */
export type WatchState = "startup" | "idle" | "tool" | "approval" | "total"

export const WatchState = schemaOf<WatchState>()(Schema.Literals(["startup", "idle", "tool", "approval", "total"]))

/** The cause of an end, as far as the process itself gave it. */
export interface CauseParts {
  /** The lines of stderr that name the cause, at most 300 characters. */
  readonly stderr: string
  /** Another possible cause. */
  readonly hint?: string
}

const causeFields = { stderr: Schema.String, hint: Schema.optionalKey(Schema.String) }

const withCause = (message: string, { stderr = "", hint }: Partial<CauseParts>) => {
  const lines = stderr.split("\n").filter((line) => line !== "")
  const full = lines.length === 0 ? message : `${message}: ${lines.join(" · ")}`
  return hint === undefined ? full : `${full} (${hint})`
}

/** A time limit was reached. `stderr` is present only if the run never started. */
export interface TimedOut extends ReasonParts<"TimedOut">, Partial<CauseParts> {
  /** `timeout_` and the state. */
  readonly code: `timeout_${WatchState}`
  readonly category: "timeout"
  readonly retryable: false
  /** The state of the run. */
  readonly state: WatchState
  /** The limit. */
  readonly budgetMs: number
}

export const TimedOut = reason<TimedOut>()("TimedOut", {
  fields: {
    state: WatchState,
    budgetMs: Schema.Finite,
    stderr: Schema.optionalKey(Schema.String),
    hint: Schema.optionalKey(Schema.String)
  },
  code: ({ state }) => `timeout_${state}` as const,
  category: "timeout",
  retryable: false,
  message: (timeout) => {
    const seconds = timeout.budgetMs / 1000
    return timeout.state === "total"
      ? `The run took longer than its limit of ${seconds} s`
      : withCause(`No output for ${seconds} s, the limit for the state "${timeout.state}"`, timeout)
  }
})

const isTransient = ({ category }: { readonly category: ErrorCategory }) =>
  category === "rate_limit" || category === "overloaded" || category === "network"

/** The CLI itself says that the run failed. */
export interface AgentFailed extends ReasonParts<"AgentFailed"> {
  /** The CLI's own text in full, which may be a provider's page or JSON. `message` is its readable part. */
  readonly detail: string
  /** Time after which a retry makes sense, where it is known. */
  readonly retryAfterMs?: number
  /** The same as an ISO time in UTC: at most 8 days ahead of the failure, never in the past. */
  readonly retryAt?: string
}

export const AgentFailed = reason<AgentFailed>()("AgentFailed", {
  fields: {
    code: Schema.String,
    category: ErrorCategory,
    detail: Schema.String,
    retryAfterMs: Schema.optionalKey(Schema.Finite),
    retryAt: Schema.optionalKey(Schema.String)
  },
  retryable: isTransient,
  message: ({ detail, code }) => (detail === "" ? `The agent failed: ${code}` : plainWords(detail))
})

/** The process ended with an exit code other than 0, and the CLI reported no failure. */
export interface Exited extends ReasonParts<"Exited", "exit_code">, CauseParts {
  /** Between 1 and 255. */
  readonly exitCode: number
}

const explained = (signal: string) => (signal === "SIGKILL" ? "SIGKILL; the machine may be out of memory" : signal)

export const Exited = reason<Exited>()("Exited", {
  fields: { exitCode: Schema.Int, category: ErrorCategory, ...causeFields },
  code: "exit_code",
  retryable: isTransient,
  message: (exit) => {
    const signal = signalOf(exit.exitCode)
    const as = signal === undefined ? "" : `, as after ${explained(signal)}`
    return withCause(`The process ended with exit code ${exit.exitCode}${as}`, exit)
  }
})

/** The process was ended by a signal that this library did not send. */
export interface Killed extends ReasonParts<"Killed", "signal", "crash", false>, CauseParts {
  /** Its name, such as `SIGSEGV`. */
  readonly signal: string
}

export const Killed = reason<Killed>()("Killed", {
  fields: { signal: Schema.String, ...causeFields },
  ...facts("signal", "crash", false),
  message: (end) => withCause(`The process was ended by ${explained(end.signal)}`, end)
})

/** The process, or its recording, ended without an error and without a result. */
export interface NoResult extends ReasonParts<"NoResult", "no_result", "protocol", false>, CauseParts {}

export const NoResult = reason<NoResult>()("NoResult", {
  fields: causeFields,
  ...facts("no_result", "protocol", false),
  message: (end) => withCause("The run ended without a result", end)
})

/** The host of the turn died after its CLI was started: what the turn has done is not known. */
export interface TurnInterrupted extends ReasonParts<"TurnInterrupted", "turn_interrupted", "crash", false> {
  /** The id of the turn. */
  readonly turnId: string
}

export const TurnInterrupted = reason<TurnInterrupted>()("TurnInterrupted", {
  fields: { turnId: Schema.String },
  ...facts("turn_interrupted", "crash", false),
  message: ({ turnId }) =>
    `The turn ${JSON.stringify(turnId)} was interrupted: its host died while the agent was at work`
})

/** The CLI reports another way of paying than the `billing` policy requires; it was stopped before its first tool. */
export interface BillingMismatch extends ReasonParts<"BillingMismatch", "billing_mismatch", "billing", false> {
  /** The required one. */
  readonly policy: "subscription" | "api-key"
  /** The source of its credentials, as the CLI names it. */
  readonly reported: string
}

export const BillingMismatch = reason<BillingMismatch>()("BillingMismatch", {
  fields: { policy: Schema.Literals(["subscription", "api-key"]), reported: Schema.String },
  ...facts("billing_mismatch", "billing", false),
  message: ({ policy, reported }) =>
    `billing is "${policy}", but the CLI reports "${reported}" as the source of its credentials`
})

const maxQuoteLength = 200

const quoted = (text: string) =>
  JSON.stringify(text.length <= maxQuoteLength ? text : `${text.slice(0, maxQuoteLength)}…`)

/** The CLI reports a weaker permission mode than the requested `permissionMode`; it was stopped before its first tool. */
export interface PermissionModeMismatch
  extends ReasonParts<"PermissionModeMismatch", "permission_mode_mismatch", "permission", false> {
  /** The requested mode. */
  readonly asked: string
  /** The mode as the CLI names it. */
  readonly reported: string
}

export const PermissionModeMismatch = reason<PermissionModeMismatch>()("PermissionModeMismatch", {
  fields: { asked: Schema.String, reported: Schema.String },
  ...facts("permission_mode_mismatch", "permission", false),
  message: ({ asked: mode, reported }) => `permissionMode is "${mode}", but the CLI reports ${quoted(reported)}`
})

/**
 * The CLI continued in another session than the one to resume or the one it had opened; it was stopped. `sessionId` of
 * the result is the requested one.
 */
export interface SessionChanged extends ReasonParts<"SessionChanged", "session_changed", "protocol", false> {
  /** The id of the requested session. */
  readonly asked: string
  /** The id of the other one. */
  readonly got: string
}

export const SessionChanged = reason<SessionChanged>()("SessionChanged", {
  fields: { asked: Schema.String, got: Schema.String },
  ...facts("session_changed", "protocol", false),
  message: ({ asked: requested, got }) => `The session is ${quoted(requested)}, but the CLI continues in ${quoted(got)}`
})

/** One problem of an answer with its schema. */
export interface OutputProblem {
  /** JSON pointer of the place in the answer, such as `/files/0`; empty for the whole answer */
  readonly path: string
  /** The problem there, of up to 300 characters */
  readonly message: string
}

export const OutputProblem = schemaOf<OutputProblem>()(
  Schema.Struct({ path: Schema.String, message: Schema.String }).annotate({ identifier: "OutputProblem" })
)

/** `/a: is missing`. */
export const problemText = ({ path, message }: OutputProblem) => (path === "" ? message : `${path}: ${message}`)

/** The answer does not match `outputSchema`, also after its `retries`. */
export interface SchemaNotMet extends ReasonParts<"SchemaNotMet", "schema_not_met", "protocol", false> {
  /** The first 16 problems of the last answer. */
  readonly errors: ReadonlyArray<OutputProblem>
}

export const SchemaNotMet = reason<SchemaNotMet>()("SchemaNotMet", {
  fields: { errors: Schema.Array(OutputProblem) },
  ...facts("schema_not_met", "protocol", false),
  message: ({ errors: [first = { path: "", message: "is wrong" }, ...others] }) => {
    const more = others.length === 0 ? "" : ` (and ${others.length} more)`
    return `The answer does not match outputSchema: ${problemText(first)}${more}`
  }
})
