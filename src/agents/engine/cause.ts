/**
 * Adds an excerpt of stderr to a failure that the CLI did not report itself, as a field of the reason and in its message.
 * Secrets were redacted before; prompts are left out here.
 */
import { Exited, type FailureReason, Killed, NoResult, TimedOut } from "../../contract/AgentError.ts"
import { excerptOf } from "../../contract/text/excerpt.ts"
import type { Ending } from "./judge.ts"

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

export const withCause = (ending: Ending, facts: CauseFacts): Ending =>
  ending.failure === undefined ? ending : { ...ending, failure: reasonWithCause(ending.failure, facts) }
