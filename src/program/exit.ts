/** Exit codes of the program: 0 completed, 1 failed, 2 bad usage, 124 timed out, 130 aborted. */
import { Effect, Runtime, Schema } from "effect"
import type { RunOutcome } from "../AgentRunResult.ts"

/** Ends the program with a code other than 0. Everything worth saying has been said. */
export class Ended extends Schema.TaggedError<Ended>()("Ended", { exitCode: Schema.Int }) {
  override readonly [Runtime.errorExitCode] = this.exitCode
  override readonly [Runtime.errorReported] = false
}

export const badUsage = 2

const exitCodes: { readonly [Outcome in RunOutcome]: number } = {
  completed: 0,
  failed: 1,
  timed_out: 124,
  aborted: 130
}

export const endWith = (outcome: RunOutcome): Effect.Effect<void, Ended> =>
  outcome === "completed" ? Effect.void : Effect.fail(new Ended({ exitCode: exitCodes[outcome] }))
