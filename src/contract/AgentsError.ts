/** The error of `race`, `each` and `fallback`: why none of several agents gave an answer that counts. */
import { Schema } from "effect"
import { Aborted, InvalidParams } from "./AgentError.ts"
import { helpOf } from "./help.ts"
import { type ErrorParts, errorOfReason, reason } from "./reason.ts"
import { AgentEnd } from "./SeveralAgents.ts"
import { schemaOf } from "./schemaOf.ts"

const outcomes = (ends: ReadonlyArray<AgentEnd>) =>
  ends.map(({ agent, error }) => `${agent}: ${error?.reason.message ?? "its answer was not accepted"}`).join("; ")

/** All of them failed, or gave an answer that was not accepted. In `fallback`: the last one failed, and no other may be asked. */
export interface NoGoodAnswer extends ErrorParts<"NoGoodAnswer"> {
  /** In the order in which they ended. `error` is absent where the answer was not accepted. */
  readonly others: ReadonlyArray<AgentEnd>
}

export const NoGoodAnswer = reason<NoGoodAnswer>()("NoGoodAnswer", {
  fields: { others: Schema.Array(AgentEnd) },
  message: ({ others }) => `No agent gave a good answer: ${outcomes(others)}`
})

/** Agents that may change files would work in the same directory at the same time; nothing was started. */
export interface SharedDirectory extends ErrorParts<"SharedDirectory"> {
  /** Absolute path. */
  readonly directory: string
  /** The first of them may change files. */
  readonly agents: ReadonlyArray<string>
}

export const SharedDirectory = reason<SharedDirectory>()("SharedDirectory", {
  fields: { directory: Schema.String, agents: Schema.Array(Schema.String) },
  message: ({ directory, agents: [agent = "", ...others] }) =>
    `${agent} may change files in ${JSON.stringify(directory)} while ${others.join(", ")} works there: use permissionMode "plan" (without allowedTools and slashCommands), worktrees: true, or a workingDirectory for each agent`
})

/** A worktree could not be made or read; the agents were ended. */
export interface WorktreeFailed extends ErrorParts<"WorktreeFailed"> {
  /** Why, for people. */
  readonly problem: string
}

export const WorktreeFailed = reason<WorktreeFailed>()("WorktreeFailed", {
  fields: { problem: Schema.String },
  message: ({ problem }) => `worktrees: ${problem}`
})

/** The agent of the conversation could not begin, and the caller did not agree to hand the conversation over. */
export interface HandOverRefused extends ErrorParts<"HandOverRefused"> {
  /** Name of the agent that has the conversation. */
  readonly from: string
  /** Name of the agent that would have got it. */
  readonly to: string
  /** The agents that were asked. */
  readonly others: ReadonlyArray<AgentEnd>
}

export const HandOverRefused = reason<HandOverRefused>()("HandOverRefused", {
  fields: { from: Schema.String, to: Schema.String, others: Schema.Array(AgentEnd) },
  message: ({ from, to, others }) =>
    `${to} may not be given the conversation of ${from} (${outcomes(others)}): agree with handOver: true, or a function that asks`
})

/** Why several agents gave no answer. */
export type AgentsReason = NoGoodAnswer | SharedDirectory | WorktreeFailed | HandOverRefused | InvalidParams | Aborted

const AgentsReason = schemaOf<AgentsReason>()(
  Schema.Union([NoGoodAnswer, SharedDirectory, WorktreeFailed, HandOverRefused, InvalidParams, Aborted])
)

const help = {
  NoGoodAnswer: "Read `others`: each error there has a `help` of its own. Or let `accept` take more answers.",
  SharedDirectory: 'Use permissionMode "plan", `worktrees: true`, or a `workingDirectory` for each agent.',
  WorktreeFailed: 'Correct what the message names, give each agent a `workingDirectory`, or use permissionMode "plan".',
  HandOverRefused: "Agree with `handOver: true` or a function that asks, or wait until the agent can be used again."
} as const

/** The facts of the error. */
export interface AgentsErrorFields {
  /** Match on `reason._tag`. `reason.others` has the end of each agent. */
  readonly reason: AgentsReason
}

/** The only error of `race`, `each` and `fallback`. */
export interface AgentsError extends ErrorParts<"AgentsError">, AgentsErrorFields {
  /** The remedy; one or two sentences for people. */
  readonly help: string
}

export const AgentsError = errorOfReason<AgentsError>()("AgentsError", {
  fields: { reason: AgentsReason },
  help: ({ reason: why }) => (why._tag === "InvalidParams" || why._tag === "Aborted" ? helpOf(why) : help[why._tag]),
  message: ({ reason: { message } }) => message,
  hidden: ["reason"],
  json: ({ message, help }) => ({ message, help })
})
