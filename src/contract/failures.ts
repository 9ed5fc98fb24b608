/** Reasons why a run that had started failed. */
import { Schema } from "effect"
import { ErrorCategory } from "./ErrorCategory.ts"
import { plainWords } from "./plainWords.ts"
import { signalOf } from "./signals.ts"

/** What the process left on stderr, at most 300 characters of whole lines; and what else may be the cause. */
const cause = { stderr: Schema.String, hint: Schema.optionalKey(Schema.String) }

interface Cause {
  readonly stderr?: string
  readonly hint?: string
}

const withCause = (message: string, { stderr = "", hint }: Cause) => {
  const lines = stderr.split("\n").filter((line) => line !== "")
  const told = lines.length === 0 ? message : `${message}: ${lines.join(" · ")}`
  return hint === undefined ? told : `${told} (${hint})`
}

const isTransient = (category: ErrorCategory) =>
  category === "rate_limit" || category === "overloaded" || category === "network"

/** The caller aborted the run. */
export class Aborted extends Schema.TaggedError<Aborted>()("Aborted", {}) {
  readonly code = "aborted"
  readonly category = "aborted"
  readonly retryable = false
  override get message() {
    return "The run was aborted"
  }
}

/** What the run was doing when a budget of the watchdog ran out. */
export const WatchState = Schema.Literals(["startup", "idle", "tool", "approval", "total"])
export type WatchState = typeof WatchState.Type

/** A budget of the watchdog ran out. */
export class TimedOut extends Schema.TaggedError<TimedOut>()("TimedOut", {
  state: WatchState,
  budgetMs: Schema.Finite,
  /** Only where it never began. */
  stderr: Schema.optionalKey(Schema.String),
  hint: Schema.optionalKey(Schema.String)
}) {
  get code() {
    return `timeout_${this.state}`
  }
  readonly category = "timeout"
  readonly retryable = false
  override get message() {
    const seconds = this.budgetMs / 1000
    if (this.state === "total") return `The run took longer than its budget of ${seconds} s`
    return withCause(`No line came for ${seconds} s, the budget of the state "${this.state}"`, this)
  }
}

/** The CLI itself says that the run failed. */
export class AgentFailed extends Schema.TaggedError<AgentFailed>()("AgentFailed", {
  code: Schema.String,
  category: ErrorCategory,
  /** In the CLI's words, whole: a provider's page or JSON, too. `message` has the words of it that are for people. */
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

const guessed = (signal: string) => (signal === "SIGKILL" ? "SIGKILL; the machine may be out of memory" : signal)

/** The process ended with an exit code other than 0, and the CLI had not told of a failure. */
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
    const as = signal === undefined ? "" : `, as of ${guessed(signal)}`
    return withCause(`The process ended with exit code ${this.exitCode}${as}`, this)
  }
}

/** The process was ended by a signal that did not come from here. */
export class Killed extends Schema.TaggedError<Killed>()("Killed", {
  signal: Schema.String,
  ...cause
}) {
  readonly code = "signal"
  readonly category = "crash"
  readonly retryable = false
  override get message() {
    return withCause(`The process was ended by ${guessed(this.signal)}`, this)
  }
}

/** The process ended well, or its recording did, without saying how the run came out. */
export class NoResult extends Schema.TaggedError<NoResult>()("NoResult", cause) {
  readonly code = "no_result"
  readonly category = "protocol"
  readonly retryable = false
  override get message() {
    return withCause("The run ended without a result", this)
  }
}
