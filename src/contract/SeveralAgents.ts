/** The parameters and answers of several agents: the types of `race`, `each` and `fallback` in both doors. */
import { Schema } from "effect"
import { AgentError } from "./AgentError.ts"
import type { AgentEvent } from "./AgentEvent.ts"
import type { AgentExecuteParams, ParamsOf } from "./AgentExecuteParams.ts"
import { AgentRunResult } from "./AgentRunResult.ts"
import type { Eventually } from "./Input.ts"
import { schemaOf } from "./schemaOf.ts"

/** Parameters that all of these CLIs support: an option that one of them does not support does not compile. */
type ParamsOfAll<Id extends string, Output> = (
  Id extends unknown
    ? (params: ParamsOf<Id, Output>) => void
    : never
) extends (params: infer Params) => void
  ? Params
  : never

/** The same for all agents, or a function of the agent's name. `Id`: their CLIs. `Output`: type of the answers. */
export type ParamsOfAgents<Name extends string = string, Id extends string = string, Output = unknown> =
  | ParamsOfAll<Id, Output>
  | ((agent: Name) => AgentExecuteParams<Output>)

/** Changes of an agent in its worktree since the last commit, without ignored files and repositories created there. */
export interface Changes {
  /** Id of the commit that the worktree began with: the last one of the repository. */
  readonly base: string
  /**
   * Id of a commit on `base` with all changes, for `git cherry-pick`, `git merge` or `git branch`. No branch has it:
   * git forgets it after two weeks (`gc.pruneExpire`) unless you use it.
   */
  readonly commit: string
  /** The files that were added, changed or deleted, from the top of the repository. A move is both. */
  readonly paths: ReadonlyArray<string>
  /** The same as text, for `git apply --binary`. Absent above 16 MiB, and where a text in it is not UTF-8. Empty if nothing was changed. */
  readonly patch?: string
}

const Changes = schemaOf<Changes>()(
  Schema.Struct({
    base: Schema.String,
    commit: Schema.String,
    paths: Schema.Array(Schema.String),
    patch: Schema.optionalKey(Schema.String)
  })
)

/** The answer of one of several agents. */
export interface AgentAnswer<Name extends string = string, Output = unknown> {
  /** Name of the agent. */
  readonly agent: Name
  /** The result of its run. */
  readonly result: AgentRunResult<Output>
  /** Only for an agent that had a worktree. */
  readonly changes?: Changes
}

/** An answer, or a failure with the result up to it. */
export interface AgentEnd<Name extends string = string, Output = unknown> extends AgentAnswer<Name, Output> {
  /** Absent if the outcome of the result is `completed`. */
  readonly error?: AgentError
}

export const AgentEnd = schemaOf<AgentEnd>()(
  Schema.Struct({
    agent: Schema.String,
    result: AgentRunResult,
    changes: Schema.optionalKey(Changes),
    error: Schema.optionalKey(AgentError)
  })
)

/** The best answer of a race. */
export interface RaceAnswer<Name extends string = string, Output = unknown> extends AgentAnswer<Name, Output> {
  /** Agents that ended before the winner: they failed, or `accept` did not take their answer. */
  readonly others: ReadonlyArray<AgentEnd<Name>>
}

/** Options of `race` and `each`. */
export interface EachOptions<Name extends string = string> {
  /** Names of the agents to ask. Default: all. */
  readonly agents?: ReadonlyArray<Name>
  /**
   * Gives each agent that may change files a git worktree of the last commit, without uncommitted changes and ignored
   * files, which is removed with the agent's end; see `changes`. Default: false, and such agents are refused where they
   * share a directory.
   */
  readonly worktrees?: boolean
  /** Called with each event as it arrives. An exception ends all agents. */
  readonly onEvent?: (event: AgentEvent, agent: Name) => void
}

/** Options of `race`. */
export interface RaceOptions<Name extends string = string, Output = unknown> extends EachOptions<Name> {
  /**
   * Whether a completed answer is good. Default: all are. `directory`: where the agent worked, for tests before a
   * worktree is removed. The other agents continue meanwhile.
   */
  readonly accept?: (answer: AgentAnswer<Name, Output>, directory: string) => Eventually<boolean>
}

/** A tool call of a turn. */
export interface ConversationTool {
  /** As the CLI names it. */
  readonly tool: string
  /** One line for people. */
  readonly title?: string
  /** The beginning and the end of its output. */
  readonly output: string
}

/** One question of a conversation, and its answer. */
export interface ConversationTurn {
  /** Name of the agent that answered. */
  readonly agent: string
  /** The question of the person. */
  readonly prompt: string
  /** The text of the agent's answer. */
  readonly answer: string
  /** Tool calls, with the beginning of their output. */
  readonly tools: ReadonlyArray<ConversationTool>
}

/** A conversation that can move from one agent to another: plain data, safe to store as JSON. */
export interface Conversation {
  /** Name of the agent that has it. */
  readonly agent: string
  /** The agent's session. Absent if its CLI reported none. */
  readonly sessionId?: string
  /** Oldest first. The oldest turns of a long conversation are left out. */
  readonly turns: ReadonlyArray<ConversationTurn>
}

/** The part of another agent's conversation that an agent would get. */
export interface HandOver<Name extends string = string> {
  /** Name of the agent that has the conversation. */
  readonly from: Name
  /** Name of the agent that would get it. */
  readonly to: Name
  /** The first prompt of the new agent, as it would be sent: the transcript (at most 32 KiB), then the question. */
  readonly prompt: string
}

/** Options of `fallback`. */
export interface FallbackOptions<Name extends string = string> {
  /** Names of the agents, in the order in which they are asked. Default: all, in the order of the options. */
  readonly agents?: ReadonlyArray<Name>
  /** The conversation that the prompt continues, from an earlier answer. Its agent is asked first. */
  readonly conversation?: Conversation
  /**
   * Whether another agent may get the transcript, which sends the words for one vendor to another: `true`, or a
   * function that asks for consent. Default: false, and a conversation stays with its agent.
   */
  readonly handOver?: boolean | ((handOver: HandOver<Name>) => Eventually<boolean>)
  /** Called with each event as it arrives. An exception ends the agent. */
  readonly onEvent?: (event: AgentEvent, agent: Name) => void
}

/** The answer of `fallback`. */
export interface FallbackAnswer<Name extends string = string, Output = unknown> extends AgentAnswer<Name, Output> {
  /** The agents before it: they could not begin. */
  readonly others: ReadonlyArray<AgentEnd<Name>>
  /** The conversation with this turn: for `conversation` of the next one. */
  readonly conversation: Conversation
}
