/** How a run ended, from the CLI's verdict, the exit of its process and its stderr; pure. */
import { Schema } from "effect"
import type { Verdict } from "../../cli/Decoder.ts"
import { Exited, FailureReason, Killed, NoResult, TimedOut } from "../../contract/AgentError.ts"
import type { ProcessExit } from "../../contract/AgentRunResult.ts"
import { classify } from "../../contract/errors/classify.ts"
import { signalOf } from "../../contract/signals.ts"
import { excerptOf } from "../../contract/text/excerpt.ts"

export interface Ending {
  readonly failure: FailureReason | undefined
  readonly exit?: ProcessExit
  /** The process may exit by itself; otherwise it is stopped at once. */
  readonly mayLinger?: boolean
}

const isReason = Schema.is(FailureReason)

/** Throws for an invalid verdict: a bug of the CLI's value never counts as success. */
export const failureOf = (verdict: Verdict): FailureReason | undefined => {
  if (verdict._tag === "Success") return undefined
  if (isReason(verdict.reason)) return verdict.reason
  throw new TypeError("The verdict is neither a success nor a failure with a reason of AgentError")
}

/** A failure that the CLI reports takes precedence over the exit code; a success needs exit code 0, too. */
export const judge = (verdict: Verdict | undefined, exit: ProcessExit, stderr: string): Ending => {
  const reported = verdict === undefined ? new NoResult({ stderr: "" }) : failureOf(verdict)
  if (verdict !== undefined && reported !== undefined) return { failure: reported, exit }
  if ("signal" in exit) return { failure: new Killed({ signal: exit.signal, stderr: "" }), exit }
  if (exit.code !== 0) {
    // Without numbers: on stderr they are line numbers or times as often as status codes.
    const byMessage = classify({ message: stderr.replace(/\d+/g, ""), otherwise: "crash" })
    // A shell's message about a signal reads like a broken connection.
    const category = signalOf(exit.code) === undefined ? byMessage : "crash"
    return { failure: new Exited({ exitCode: exit.code, category, stderr: "" }), exit }
  }
  return { failure: reported, exit }
}

/** The end by the CLI's verdict alone: nothing can follow, and the process may exit later. */
export const endingOf = (verdict: Verdict | undefined): Ending => {
  if (verdict === undefined) return { failure: new NoResult({ stderr: "" }), mayLinger: true }
  return { failure: failureOf(verdict), mayLinger: true }
}

export interface CauseFacts {
  readonly stderr: string
  /** Texts of the caller, which no message repeats. */
  readonly texts: ReadonlyArray<string>
  /** Another possible cause, for the end of the message. */
  readonly hint?: string | undefined
}

const reasonWithCause = (reason: FailureReason, { stderr, texts, hint }: CauseFacts): FailureReason => {
  const cause = () => ({ stderr: excerptOf(stderr, texts), ...(hint === undefined ? {} : { hint }) })
  switch (reason._tag) {
    case "Exited":
      return new Exited({ exitCode: reason.exitCode, category: reason.category, ...cause() })
    case "Killed":
      return new Killed({ signal: reason.signal, ...cause() })
    case "NoResult":
      return new NoResult(cause())
    case "TimedOut":
      // After the start, stderr may be about other things.
      return reason.state === "startup"
        ? new TimedOut({ state: reason.state, budgetMs: reason.budgetMs, ...cause() })
        : reason
    default:
      return reason
  }
}

/** Adds an excerpt of stderr, in which secrets are redacted, to a failure that the CLI did not report itself. */
export const withCause = (ending: Ending, facts: CauseFacts): Ending =>
  ending.failure === undefined ? ending : { ...ending, failure: reasonWithCause(ending.failure, facts) }
