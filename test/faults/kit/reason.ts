/** Why a run has ended, by what the CLI had said and what its process did then; not by how the pipeline finds it out. */
import type { ProcessExit } from "../../../src/contract/AgentRunResult.ts"
import type { RunReason } from "../../../src/contract/FailureReason.ts"
import type { Beginning } from "./beginnings.ts"

export interface HowItEnds {
  /** How the process leaves by itself, where it does. */
  readonly exit?: ProcessExit
  /** Nothing can come from it any more, although it lives. */
  readonly isMute?: true
}

export const reasonOf = (
  { secondOpinion: { verdict, rests, isAnswered = false }, certain, isCut }: Beginning,
  { exit, isMute }: HowItEnds
): RunReason => {
  if (certain !== undefined) return certain
  if (exit === undefined && isMute === undefined) {
    return (rests ? verdict() : undefined) ?? (isAnswered ? "completed" : "timed_out")
  }
  const text = verdict(exit)
  if (text === "agent_failed") return text
  if (exit !== undefined && "signal" in exit) return "killed"
  if (exit !== undefined && exit.code !== 0) return "exited"
  // The cut line is unknown.
  return isCut ? "no_result" : (text ?? "no_result")
}
