/**
 * The start of a run, a live session or one of its turns, as gates and observers get it before anything is started, and its
 * end. Without secrets: environments, servers and functions of the caller are left out.
 */
import type { FailureReason } from "./AgentError.ts"
import type { AgentExecuteParams } from "./AgentExecuteParams.ts"
import type { AgentOpenParams } from "./AgentOpenParams.ts"
import type { Limits } from "./AgentOptions.ts"
import type { AgentRunResult } from "./AgentRunResult.ts"

/** Parameters that may contain secrets, are not data, or are large. */
const omitted = [
  "attachments",
  "env",
  "mcpServers",
  "extraArgs",
  "abortSignal",
  "approvals",
  "questions",
  "tools",
  "hooks"
] as const
type Omitted = (typeof omitted)[number]

export type RunStartParams = Omit<AgentExecuteParams, Omitted>
export type SessionStartParams = Omit<AgentOpenParams, Omitted>

interface Process {
  /** Unique id. The id of a run or session is in the environment of all its processes. */
  readonly id: string
  /** The id of the CLI, such as `claude`. */
  readonly cli: string
  /** Absolute path. */
  readonly workingDirectory: string
  /** The agent's `limits`. */
  readonly limits: Limits
}

/** The start of a run, which has one prompt. */
export interface RunStart extends Process {
  readonly type: "run"
  /** The parameters, without `attachments`, `env`, `mcpServers`, `extraArgs`, `abortSignal`. */
  readonly params: RunStartParams
}

/** The start of a live session: one process for all its turns. A run of an ACP agent is a session with one turn. */
export interface SessionStart extends Process {
  readonly type: "session"
  /** The parameters, without those that a run leaves out, and without `approvals`, `questions`, `tools`, `hooks`. */
  readonly params: SessionStartParams
}

/** The start of a turn of the caller. Turns that the CLI starts by itself are only in the events of the session. */
export interface TurnStart {
  readonly type: "turn"
  readonly id: string
  readonly cli: string
  readonly workingDirectory: string
  readonly prompt: string
  readonly session: SessionStart
  /** The CLI's id of the session, if it is known yet. */
  readonly sessionId?: string
}

/** Discriminated by `type`. */
export type Start = RunStart | SessionStart | TurnStart

/** How a run, a session or a turn ended. */
export interface End {
  readonly result: AgentRunResult
  /** The reason, if it failed. */
  readonly failure: FailureReason | undefined
  /** Text, thinking or a tool call had arrived. */
  readonly hadOutput: boolean
}

export const withoutSecrets = <Params extends object>(params: Params): Omit<Params, Omitted> => {
  const shown: Params & Partial<Record<Omitted, unknown>> = { ...params }
  for (const name of omitted) delete shown[name]
  return shown
}
