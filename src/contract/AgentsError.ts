/** The error of `race`, `each` and `fallback`: why none of several agents gave an answer that counts. */
import { Inspectable, Schema } from "effect"
import { Aborted, AgentError, InvalidParams } from "./AgentError.ts"
import { AgentRunResult } from "./AgentRunResult.ts"
import { acrossCopies } from "./acrossCopies.ts"
import { helpOf } from "./help.ts"
import type { AgentEnd } from "./SeveralAgents.ts"

/** How an agent ended: `error` is absent if it completed, and its answer was not accepted. */
const End = Schema.Struct({
  agent: Schema.String,
  result: AgentRunResult,
  changes: Schema.optionalKey(
    Schema.Struct({
      base: Schema.String,
      commit: Schema.String,
      paths: Schema.Array(Schema.String),
      patch: Schema.optionalKey(Schema.String)
    })
  ),
  error: Schema.optionalKey(AgentError)
})
const Ends = Schema.Array(End as unknown as Schema.Codec<AgentEnd, typeof End.Encoded>) // an error is of its class

const shown = (ends: ReadonlyArray<AgentEnd>) =>
  ends.map(({ agent, error }) => `${agent}: ${error?.reason.message ?? "its answer was not accepted"}`).join("; ")

/** All of them failed, or gave an answer that was not accepted. In `fallback`: the last one failed, and no other may be asked. */
export class NoGoodAnswer extends Schema.TaggedError<NoGoodAnswer>()("NoGoodAnswer", {
  /** In the order in which they ended. */
  others: Ends
}) {
  override get message() {
    return `No agent gave a good answer: ${shown(this.others)}`
  }
}

/** Agents that may change files would work in the same directory at the same time; nothing was started. */
export class SharedDirectory extends Schema.TaggedError<SharedDirectory>()("SharedDirectory", {
  directory: Schema.String,
  /** The first of them may change files. */
  agents: Schema.Array(Schema.String)
}) {
  override get message() {
    const [agent = "", ...others] = this.agents
    return `${agent} may change files in ${JSON.stringify(this.directory)} while ${others.join(", ")} works there: use permissionMode "plan" (without allowedTools and slashCommands), worktrees: true, or a workingDirectory for each agent`
  }
}

/** A worktree could not be made or read; the agents were ended. */
export class WorktreeFailed extends Schema.TaggedError<WorktreeFailed>()("WorktreeFailed", { problem: Schema.String }) {
  override get message() {
    return `worktrees: ${this.problem}`
  }
}

/** The agent of the conversation could not begin, and nobody agreed to hand the conversation over. */
export class HandOverRefused extends Schema.TaggedError<HandOverRefused>()("HandOverRefused", {
  from: Schema.String,
  to: Schema.String,
  others: Ends
}) {
  override get message() {
    return `${this.to} may not be given the conversation of ${this.from} (${shown(this.others)}): agree with handOver: true, or a function that asks`
  }
}

const fields = {
  reason: Schema.Union([NoGoodAnswer, SharedDirectory, WorktreeFailed, HandOverRefused, InvalidParams, Aborted])
}

type Reason = typeof fields.reason.Type

const help = {
  NoGoodAnswer: "Read `others`: each error there has a `help` of its own. Or let `accept` take more answers.",
  SharedDirectory: 'Use permissionMode "plan", `worktrees: true`, or a `workingDirectory` for each agent.',
  WorktreeFailed: 'Correct what the message names, give each agent a `workingDirectory`, or use permissionMode "plan".',
  HandOverRefused: "Agree with `handOver: true` or a function that asks, or wait until the agent can be used again."
} as const

const helpFor = (reason: Reason): string =>
  reason._tag === "InvalidParams" || reason._tag === "Aborted" ? helpOf(reason) : help[reason._tag]

/** Match on `reason._tag`. What each agent did until then is in `reason.others`. */
export class AgentsError extends Schema.TaggedError<AgentsError>()("AgentsError", fields) {
  /** What to do about it; one or two sentences for people. */
  readonly help: string = helpFor(this.reason)

  constructor(given: Schema.Struct.Type<typeof fields>, options?: Schema.MakeOptions) {
    super(given, options)
    Object.defineProperty(this, "reason", { enumerable: false })
  }

  override get message() {
    return this.reason.message
  }

  /** The JSON form: the fields, and the facts that follow from them. The Schema `AgentsError` reads it. */
  override toJSON() {
    const { message, help } = this
    return { ...Schema.encodeSync(AgentsError)(this), message, help }
  }
}

acrossCopies(AgentsError, "AgentsError")
for (const member of [NoGoodAnswer, SharedDirectory, WorktreeFailed, HandOverRefused]) {
  acrossCopies(member, member.identifier)
}

// As of `AgentError`.
Object.defineProperty(AgentsError.prototype, Inspectable.NodeInspectSymbol, { value: undefined })
