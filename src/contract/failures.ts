/** Reasons why a run that had started failed. */
import { Schema } from "effect"
import { ErrorCategory } from "./ErrorCategory.ts"
import { plainWords } from "./plainWords.ts"
import type * as Types from "./Reasons.ts"
import { signalOf } from "./signals.ts"

/** `stderr`: the lines that name the cause, at most 300 characters. `hint`: another possible cause. */
const cause = { stderr: Schema.String, hint: Schema.optionalKey(Schema.String) }

interface Cause {
  readonly stderr?: string
  readonly hint?: string
}

const withCause = (message: string, { stderr = "", hint }: Cause) => {
  const lines = stderr.split("\n").filter((line) => line !== "")
  const full = lines.length === 0 ? message : `${message}: ${lines.join(" · ")}`
  return hint === undefined ? full : `${full} (${hint})`
}

const isTransient = (category: ErrorCategory) =>
  category === "rate_limit" || category === "overloaded" || category === "network"

/** The caller aborted the run. */
export class Aborted extends Schema.TaggedError<Aborted>()("Aborted", {
  /** Where the call came too late: it was closed, or aborted, before. */
  closed: Schema.optionalKey(Schema.Literals(["agent", "session"]))
}) {
  readonly code = "aborted"
  readonly category = "aborted"
  readonly retryable = false
  override get message() {
    return this.closed === undefined ? "The run was aborted" : `The ${this.closed} is closed`
  }
}

/** The state of the run when a time limit was reached. */
export const WatchState = Schema.Literals(["startup", "idle", "tool", "approval", "total"])
export type WatchState = Types.WatchState

/** A time limit was reached. */
export class TimedOut extends Schema.TaggedError<TimedOut>()("TimedOut", {
  state: WatchState,
  budgetMs: Schema.Finite,
  /** Only where it never started. */
  stderr: Schema.optionalKey(Schema.String),
  hint: Schema.optionalKey(Schema.String)
}) {
  get code(): `timeout_${WatchState}` {
    return `timeout_${this.state}`
  }
  readonly category = "timeout"
  readonly retryable = false
  override get message() {
    const seconds = this.budgetMs / 1000
    if (this.state === "total") return `The run took longer than its limit of ${seconds} s`
    return withCause(`No output for ${seconds} s, the limit for the state "${this.state}"`, this)
  }
}

/** The CLI itself says that the run failed. */
export class AgentFailed extends Schema.TaggedError<AgentFailed>()("AgentFailed", {
  code: Schema.String,
  category: ErrorCategory,
  /** The CLI's own text in full, which may be a provider's page or JSON. `message` is its readable part. */
  detail: Schema.String,
  retryAfterMs: Schema.optionalKey(Schema.Finite)
}) {
  get retryable() {
    return isTransient(this.category)
  }
  override get message() {
    return this.detail === "" ? `The agent failed: ${this.code}` : plainWords(this.detail)
  }
}

const explained = (signal: string) => (signal === "SIGKILL" ? "SIGKILL; the machine may be out of memory" : signal)

/** The process ended with an exit code other than 0, and the CLI reported no failure. */
export class Exited extends Schema.TaggedError<Exited>()("Exited", {
  exitCode: Schema.Int,
  category: ErrorCategory,
  ...cause
}) {
  readonly code = "exit_code"
  get retryable() {
    return isTransient(this.category)
  }
  override get message() {
    const signal = signalOf(this.exitCode)
    const as = signal === undefined ? "" : `, as after ${explained(signal)}`
    return withCause(`The process ended with exit code ${this.exitCode}${as}`, this)
  }
}

/** The process was ended by a signal that this library did not send. */
export class Killed extends Schema.TaggedError<Killed>()("Killed", {
  signal: Schema.String,
  ...cause
}) {
  readonly code = "signal"
  readonly category = "crash"
  readonly retryable = false
  override get message() {
    return withCause(`The process was ended by ${explained(this.signal)}`, this)
  }
}

/** The process, or its recording, ended without an error and without a result. */
export class NoResult extends Schema.TaggedError<NoResult>()("NoResult", cause) {
  readonly code = "no_result"
  readonly category = "protocol"
  readonly retryable = false
  override get message() {
    return withCause("The run ended without a result", this)
  }
}

/** The host of the turn died after its CLI was started: what the turn has done is not known. */
export class TurnInterrupted extends Schema.TaggedError<TurnInterrupted>()("TurnInterrupted", {
  turnId: Schema.String
}) {
  readonly code = "turn_interrupted"
  readonly category = "crash"
  readonly retryable = false
  override get message() {
    return `The turn ${JSON.stringify(this.turnId)} was interrupted: its host died while the agent was at work`
  }
}
