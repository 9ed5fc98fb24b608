/**
 * The failure that a process gives no word of, with what it left on stderr: the excerpt is a fact of the reason, and in
 * its message. Secrets are gone from stderr before; prompts are kept out here.
 */
import { Exited, type FailureReason, Killed, NoResult, TimedOut } from "../contract/AgentError.ts"
import { excerptOf } from "../text/excerpt.ts"
import type { Ending } from "./judge.ts"

export interface CauseFacts {
  readonly stderr: string
  /** What the caller wrote, which no message repeats. */
  readonly texts: ReadonlyArray<string>
  /** What else may be the cause, as the end of the message. */
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
      // Later, stderr has told of other things.
      return reason.state === "startup"
        ? new TimedOut({ state: reason.state, budgetMs: reason.budgetMs, ...cause() })
        : reason
    default:
      return reason
  }
}

export const withCause = (ending: Ending, facts: CauseFacts): Ending =>
  ending.failure === undefined ? ending : { ...ending, failure: reasonWithCause(ending.failure, facts) }
