/** The start and the end of a run, a live session or a turn, for gates and observers; without secrets. */
import type { AgentExecuteParams } from "./AgentExecuteParams.ts"
import type { AgentOpenParams } from "./AgentOpenParams.ts"
import type { Limits } from "./AgentOptions.ts"
import type { AgentRunResult } from "./AgentRunResult.ts"
import type { FailureReason } from "./FailureReason.ts"

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

/** Parameters that may contain secrets, are not data, or are large. */
export type OmittedParam = (typeof omitted)[number]

/** A copy of the parameters without these. */
export const withoutSecrets = <Params extends object>(params: Params): Omit<Params, OmittedParam> => {
  const copy: Params & Partial<Record<OmittedParam, unknown>> = { ...params }
  for (const name of omitted) delete copy[name]
  return copy
}

/** The parameters of a run, without `attachments`, `env`, `mcpServers`, `extraArgs`, `abortSignal`. */
export interface RunStartParams extends Omit<AgentExecuteParams, OmittedParam> {}

/** The parameters of a session, without those that a run leaves out, and without `approvals`, `questions`, `tools`, `hooks`. */
export interface SessionStartParams extends Omit<AgentOpenParams, OmittedParam> {}

interface AnyStart {
  /** Unique id. The id of a run or session is in the environment of all its processes. */
  readonly id: string
  /** The id of the CLI, such as `claude`. */
  readonly cli: string
  /** Absolute path. */
  readonly workingDirectory: string
}

interface ProcessStart extends AnyStart {
  /** The agent's `limits`. */
  readonly limits: Limits
}

/** The start of a run, which has one prompt. */
export interface RunStart extends ProcessStart {
  readonly type: "run"
  /** The parameters, without `attachments`, `env`, `mcpServers`, `extraArgs`, `abortSignal`. */
  readonly params: RunStartParams
}

/** The start of a live session: one process for all its turns. A run of an ACP agent is a session with one turn. */
export interface SessionStart extends ProcessStart {
  readonly type: "session"
  /** The parameters, without those that a run leaves out, and without `approvals`, `questions`, `tools`, `hooks`. */
  readonly params: SessionStartParams
}

/** The start of a turn of the caller. Turns that the CLI starts by itself are only in the events of the session. */
export interface TurnStart extends AnyStart {
  readonly type: "turn"
  /** The prompt of this turn. */
  readonly prompt: string
  /** The start of its session. */
  readonly session: SessionStart
  /** The CLI's id of the session, if it is known yet. */
  readonly sessionId?: string
}

/** Discriminated by `type`. */
export type Start = RunStart | SessionStart | TurnStart

/** How a run, a session or a turn ended. */
export interface End {
  /** The same as in `done` or `turn_done`. */
  readonly result: AgentRunResult
  /** The reason, if it failed. */
  readonly failure: FailureReason | undefined
  /** Text, thinking or a tool call had arrived. */
  readonly hadOutput: boolean
}

/** Why a start waits, for the `queued` notice. */
export interface Waiting {
  /** The reason, to follow "The start waits: ", such as `3 turns are running`. */
  readonly problem: string
  /** Further facts: the `data` of the notice. */
  readonly data?: { readonly [fact: string]: unknown }
}

/** A notice that a gate emits. */
export interface GateNotice {
  /** Information, a warning, or the level of a budget */
  readonly kind: "info" | "warning" | "budget"
  /** For people */
  readonly message: string
  /** Facts by kind: those of `budget` are a `BudgetNotice` */
  readonly data?: { readonly [fact: string]: unknown }
}

/** The abilities of a gate while it decides. */
export interface Asking {
  /** Emits a `queued` notice among the events of the run, session or turn. Without effect once the gate has decided. */
  readonly queued: (waiting: Waiting) => void
  /** Emits another notice in the same place, until the end of the run, session or turn. */
  readonly notice: (notice: GateNotice) => void
  /** Milliseconds since the first gate was asked. */
  readonly waitedMs: () => number
}

/** The start that a gate is asked about. */
export type GateStart = Start & Asking

/** Additions of a gate to a run or a session. */
export interface Amendment {
  /** Variables for its process, which do not override the caller's. */
  readonly env?: { readonly [name: string]: string }
  /** Its maximum cost. The lowest one counts, that of the caller included; only for CLIs that support `maxBudgetUsd`. */
  readonly maxBudgetUsd?: number
  /** Resumes the session into a new one, as with `forkSession`; only of one that is resumed, and where the CLI can. */
  readonly forkSession?: boolean
}
