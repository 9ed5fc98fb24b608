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
  { secondOpinion: { verdict, rests }, certain, isCut }: Beginning,
  { exit, isMute }: HowItEnds
): RunReason => {
  if (certain !== undefined) return certain
  if (exit === undefined && isMute === undefined) return (rests ? verdict() : undefined) ?? "timed_out"
  const said = verdict(exit)
  if (said === "agent_failed") return said
  if (exit !== undefined && "signal" in exit) return "killed"
  if (exit !== undefined && exit.code !== 0) return "exited"
  // Nobody knows what the line was that was cut off.
  return isCut ? "no_result" : (said ?? "no_result")
}
