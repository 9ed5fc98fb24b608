/** The error of `race`, `each` and `fallback`: one type with a closed union of reasons. */
import type { Aborted, InvalidParams } from "../Reasons.ts"
import type { AgentEnd } from "../SeveralAgents.ts"

/** The members that every reason has. */
interface ReasonParts<Tag extends string> extends Error {
  readonly _tag: Tag
  /** The same as `_tag`. */
  readonly name: string
  /** For people; without prompts and secrets. */
  readonly message: string
}

/** All of them failed, or gave an answer that was not accepted. In `fallback`: the last one failed, and no other may be asked. */
export interface NoGoodAnswer extends ReasonParts<"NoGoodAnswer"> {
  /** In the order in which they ended. `error` is absent where the answer was not accepted. */
  readonly others: ReadonlyArray<AgentEnd>
}

/** Agents that may change files would work in the same directory at the same time; nothing was started. */
export interface SharedDirectory extends ReasonParts<"SharedDirectory"> {
  /** Absolute path. */
  readonly directory: string
  /** The first of them may change files. */
  readonly agents: ReadonlyArray<string>
}

/** A worktree could not be made or read; the agents were ended. */
export interface WorktreeFailed extends ReasonParts<"WorktreeFailed"> {
  /** Why, for people. */
  readonly problem: string
}

/** The agent of the conversation could not begin, and nobody agreed to hand the conversation over. */
export interface HandOverRefused extends ReasonParts<"HandOverRefused"> {
  /** Name of the agent that has the conversation. */
  readonly from: string
  /** Name of the agent that would have got it. */
  readonly to: string
  /** The agents that were asked. */
  readonly others: ReadonlyArray<AgentEnd>
}

/** Why several agents gave no answer. */
export type AgentsReason = NoGoodAnswer | SharedDirectory | WorktreeFailed | HandOverRefused | InvalidParams | Aborted

/** The facts of the error. */
export interface AgentsErrorFields {
  /** Match on `reason._tag`. What each agent did until then is in `reason.others`. */
  readonly reason: AgentsReason
}

/** The only error of `race`, `each` and `fallback`. */
export interface AgentsError extends Error, AgentsErrorFields {
  readonly _tag: "AgentsError"
  /** What to do about it; one or two sentences for people. */
  readonly help: string
}
