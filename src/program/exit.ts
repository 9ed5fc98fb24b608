/**
 * Exit codes of the program: 0 completed, 1 failed, 2 bad usage, 3 session busy, 4 budget exceeded, 124 timed out, 130 aborted; pure but for
 * `endWith`.
 */
import { Effect, Runtime, Schema } from "effect"
import type { AgentRunResult, RunOutcome } from "../contract/AgentRunResult.ts"

/** Ends the program with an exit code other than 0; every message has been printed before. */
export class Ended extends Schema.TaggedError<Ended>()("Ended", { exitCode: Schema.Int }) {
  override readonly [Runtime.errorExitCode] = this.exitCode
  override readonly [Runtime.errorReported] = false
}

export const badUsage = 2
export const sessionBusy = 3
const budgetExceeded = 4

/** How a run or a session ended, for the exit code: what is refused for its parameters is bad usage. */
export type Ending = RunOutcome | "bad_usage" | "session_busy" | "budget_exceeded"

const badUsages: ReadonlySet<AgentRunResult["reason"]> = new Set([
  "invalid_params",
  "unsupported_option",
  "attachment_refused"
])

export const endingOf = ({ outcome, reason }: AgentRunResult): Ending => {
  if (reason === "session_busy" || reason === "budget_exceeded") return reason
  return badUsages.has(reason) ? "bad_usage" : outcome
}

const exitCodes: { readonly [Name in Ending]: number } = {
  completed: 0,
  failed: 1,
  bad_usage: badUsage,
  session_busy: sessionBusy,
  budget_exceeded: budgetExceeded,
  timed_out: 124,
  aborted: 130
}

export const endWith = (ending: Ending): Effect.Effect<void, Ended> =>
  ending === "completed" ? Effect.void : Effect.fail(new Ended({ exitCode: exitCodes[ending] }))
