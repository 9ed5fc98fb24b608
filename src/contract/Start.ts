/**
 * What a gate is asked about and an observer is told of: a run, a live session or one of its turns, before anything of
 * it is started; and how it ended. Without secrets: environments, servers and functions of the caller are left out.
 */
import type { FailureReason } from "./AgentError.ts"
import type { AgentExecuteParams } from "./AgentExecuteParams.ts"
import type { AgentOpenParams } from "./AgentOpenParams.ts"
import type { Limits } from "./AgentOptions.ts"
import type { AgentRunResult } from "./AgentRunResult.ts"

/** May hold secrets, or is no data. */
const omitted = ["env", "mcpServers", "extraArgs", "abortSignal", "approvals", "questions", "tools", "hooks"] as const
type Omitted = (typeof omitted)[number]

export type RunStartParams = Omit<AgentExecuteParams, Omitted>
export type SessionStartParams = Omit<AgentOpenParams, Omitted>

interface Process {
  /** Unique. Of a run and a session it is in the environment of all their processes. */
  readonly id: string
  /** The id of the CLI, such as `claude`. */
  readonly cli: string
  /** Absolute. */
  readonly workingDirectory: string
  /** The agent's `limits`. */
  readonly limits: Limits
}

/** One prompt. */
export interface RunStart extends Process {
  readonly type: "run"
  /** What was asked for, without `env`, `mcpServers`, `extraArgs`, `abortSignal`. */
  readonly params: RunStartParams
}

/** A live session: its process, for all its turns. A run of an agent that only holds sessions (ACP) is one with one turn. */
export interface SessionStart extends Process {
  readonly type: "session"
  /** What was asked for, without what a run leaves out, and without `approvals`, `questions`, `tools`, `hooks`. */
  readonly params: SessionStartParams
}

/** A turn that the caller asked for. One that the CLI begins by itself is only in the events of its session. */
export interface TurnStart {
  readonly type: "turn"
  readonly id: string
  readonly cli: string
  readonly workingDirectory: string
  readonly prompt: string
  readonly session: SessionStart
  /** The CLI's name of the session, where it has told it. */
  readonly sessionId?: string
}

/** Discriminated by `type`. */
export type Start = RunStart | SessionStart | TurnStart

/** How a run, a session or a turn ended. */
export interface End {
  readonly result: AgentRunResult
  /** The reason itself, where it failed. */
  readonly failure: FailureReason | undefined
  /** Text, a thought or a tool call had come. */
  readonly hadOutput: boolean
}

export const withoutSecrets = <Params extends object>(params: Params): Omit<Params, Omitted> => {
  const shown: Params & Partial<Record<Omitted, unknown>> = { ...params }
  for (const name of omitted) delete shown[name]
  return shown
}
