/** What the CLI says and how its process ended → how the run came out; pure. */

import type { RunReport, Verdict } from "../cli/Decoder.ts"
import { Exited, type FailureReason, Killed, NoResult } from "../contract/AgentError.ts"
import type { AgentRunResult, ProcessExit } from "../contract/AgentRunResult.ts"
import { runReason } from "../contract/FailureReason.ts"
import { signalOf } from "../contract/signals.ts"
import { classify } from "../errors/classify.ts"

/** How a run ended: with a failure or, without one, well. */
export interface Ending {
  readonly failure: FailureReason | undefined
  readonly exit?: ProcessExit
  /** The process may leave by itself; else it is ended at once. */
  readonly mayLinger?: boolean
}

/**
 * A failure that the CLI tells says more than any exit code; success holds only if the process left well, too. What of
 * stderr belongs to the failure comes later (`cause.ts`).
 */
export const judge = (verdict: Verdict | undefined, exit: ProcessExit, stderr: string): Ending => {
  if (verdict?._tag === "Failure") return { failure: verdict.reason, exit }
  if ("signal" in exit) return { failure: new Killed({ signal: exit.signal, stderr: "" }), exit }
  if (exit.code !== 0) {
    // A number on stderr is a line of code or a time as often as it is a status.
    const told = classify({ message: stderr.replace(/\d+/g, ""), otherwise: "crash" })
    // What a shell says of a death by a signal sounds like a broken connection.
    const category = signalOf(exit.code) === undefined ? told : "crash"
    return { failure: new Exited({ exitCode: exit.code, category, stderr: "" }), exit }
  }
  return { failure: verdict === undefined ? new NoResult({ stderr: "" }) : undefined, exit }
}

/** The end by what the CLI says alone: nothing can follow, and the process may take its time to leave. */
export const endingOf = (verdict: Verdict | undefined): Ending => {
  if (verdict === undefined) return { failure: new NoResult({ stderr: "" }), mayLinger: true }
  return { failure: verdict._tag === "Failure" ? verdict.reason : undefined, mayLinger: true }
}

const outcomeOf = (failure: FailureReason | undefined): AgentRunResult["outcome"] => {
  if (failure === undefined) return "completed"
  if (failure._tag === "Aborted") return "aborted"
  return failure._tag === "TimedOut" ? "timed_out" : "failed"
}

export interface ResultParts {
  readonly ending: Ending
  readonly text: string
  readonly durationMs: number
  readonly report: RunReport
  readonly stderr: string
}

const stderrTailLength = 4_000

export const makeResult = ({ ending, text, durationMs, report, stderr }: ResultParts): AgentRunResult => {
  const { sessionId, usage, ...facts } = report
  const { failure, exit } = ending
  return {
    outcome: outcomeOf(failure),
    reason: failure === undefined ? "completed" : runReason[failure._tag],
    text,
    // Another one must not take the place of the one that the caller keeps.
    sessionId: failure?._tag === "SessionChanged" ? failure.asked : sessionId,
    durationMs,
    usage,
    aborted: failure?._tag === "Aborted",
    ...facts,
    ...(stderr === "" ? {} : { stderrTail: stderr.slice(-stderrTailLength) }),
    ...(exit === undefined ? {} : { exit })
  }
}
