/**
 * Exit codes: 0 completed, 1 failed, 2 bad usage, 3 session busy, 4 budget exceeded, 124 timed out, 130 aborted; and the
 * messages of refusals and failures on stderr.
 */
import { Console, Effect, Runtime, Schema } from "effect"
import type { AgentRunResult, RunOutcome } from "../contract/AgentRunResult.ts"
import { harmless } from "../contract/text/harmless.ts"
import { oneLine } from "./format.ts"

/** Ends the program with an exit code other than 0. Its message has already been printed. */
export class Ended extends Schema.TaggedError<Ended>()("Ended", { exitCode: Schema.Int }) {
  override readonly [Runtime.errorExitCode] = this.exitCode
  override readonly [Runtime.errorReported] = false
}

export const badUsage = 2
export const sessionBusy = 3
const budgetExceeded = 4

/** End of a run or session; refused parameters are bad usage. */
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

/** `command`: the words after `reins`; empty for the program itself. */
export const printRefusal = (command: string, problems: ReadonlyArray<string>): Effect.Effect<void> => {
  const program = command === "" ? "reins" : `reins ${command}`
  const lines = [...problems.map((problem) => `${program}: ${oneLine(problem)}`), `Help: ${program} --help`]
  return Console.error(lines.join("\n"))
}

export const failWith = (problem: string, exitCode: number): Effect.Effect<never, Ended> =>
  Effect.andThen(Console.error(`reins: ${harmless(problem)}`), Effect.fail(new Ended({ exitCode })))

export const refuse = (command: string, problems: ReadonlyArray<string>): Effect.Effect<never, Ended> =>
  Effect.andThen(printRefusal(command, problems), Effect.fail(new Ended({ exitCode: badUsage })))
