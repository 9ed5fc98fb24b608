/** The vocabulary of a script, the same for all five CLIs. Steps are plain data; `wire/` turns them into lines. */
import type { AgentUsage } from "../contract/AgentRunResult.ts"
import type { DurationInput } from "../contract/Input.ts"

/** Names and values that are added to the line as they are, in the words of the CLI. */
export type Fields = Readonly<Record<string, unknown>>

/** Category of the `error` event. Claude Code says `auth` for `permission`; `other` has no word of its own. */
export type FailureKind =
  | "auth"
  | "billing"
  | "rate_limit"
  | "overloaded"
  | "context_overflow"
  | "invalid_request"
  | "network"
  | "permission"
  | "other"

/** The name of a signal, such as `SIGTERM`. */
export type SignalName = `SIG${Uppercase<string>}`

/** The session is opened. */
export interface SessionStep {
  readonly type: "session"
  /** Default: `fake`. */
  readonly model?: string
  readonly fields?: Fields
}

/** One block of the answer; the pieces are its deltas. */
export interface TextStep {
  readonly type: "text"
  readonly pieces: ReadonlyArray<string>
}

/** The answer for a schema. */
export interface AnswerStep {
  readonly type: "answer"
  readonly value: unknown
}

/** One block of thought; the pieces are its deltas. */
export interface ThinkingStep {
  readonly type: "thinking"
  readonly pieces: ReadonlyArray<string>
}

/** A tool call begins. */
export interface ToolStartStep {
  readonly type: "toolStart"
  readonly id: string
  readonly name: string
  readonly input: unknown
}

/** A tool call that has begun is over. */
export interface ToolEndStep {
  readonly type: "toolEnd"
  readonly id: string
  readonly output: string
  readonly isError: boolean
}

/** A tool call and its outcome. */
export interface ToolStep extends Omit<ToolStartStep, "type" | "id">, Omit<ToolEndStep, "type" | "id"> {
  readonly type: "tool"
  readonly id?: string
}

/** The model is asked again. */
export interface RetryStep {
  readonly type: "retry"
  readonly attempt: number
  readonly maxRetries: number
  readonly delayMs: number
}

/** The run has failed. */
export interface ErrorStep {
  readonly type: "error"
  readonly kind: FailureKind
  readonly message?: string
  readonly retryAfterMs?: number
}

/** The run has succeeded. */
export interface ResultStep {
  readonly type: "result"
  readonly usage?: AgentUsage
  readonly costUsd?: number
  readonly fields?: Fields
}

/** A step that stands for one or several lines of the CLI's own wire format. */
export type SpokenStep =
  | SessionStep
  | TextStep
  | AnswerStep
  | ThinkingStep
  | ToolStep
  | ToolStartStep
  | ToolEndStep
  | RetryStep
  | ErrorStep
  | ResultStep

/** A step of the process, the same whatever the CLI, and fit for the `end` of a replay. */
export type ActStep =
  | { readonly type: "line"; readonly value: unknown; readonly newline: boolean }
  | { readonly type: "stderr"; readonly text: string }
  | { readonly type: "wait"; readonly ms: number }
  | { readonly type: "exit"; readonly code: number }
  | { readonly type: "signal"; readonly signal: SignalName }
  | { readonly type: "hang"; readonly deaf: boolean }
  | { readonly type: "closeStdout" }
  | { readonly type: "process"; readonly ownSession: boolean; readonly holdsStdout: boolean; readonly deaf: boolean }
  | { readonly type: "expectStdin"; readonly text?: string; readonly pattern?: string; readonly flags?: string }

export interface ToolCall {
  /** As the CLI calls it, such as `Bash`. Codex: `command_execution`, `file_change`, `web_search`, `mcp__server__tool`. */
  readonly name: string
  /** Default: `{}`. */
  readonly input?: unknown
}

export interface ToolOutcome {
  /** Default: none. */
  readonly output?: string
  /** Default: false. */
  readonly isError?: boolean
}

export interface RetryOptions {
  /** Default: 1. */
  readonly attempt?: number
  /** Default: 5. */
  readonly maxRetries?: number
  /** Until the next attempt. It is only reported; add a `wait` to take the time. Default: 1 s. */
  readonly delay?: DurationInput
}

export interface FailureOptions {
  /** The category of the `error` event. Default: `other`. */
  readonly kind?: FailureKind
  /** Default: what the CLI says of such a failure. */
  readonly message?: string
  /** When to retry. It is only reported. Default: not reported. Codex cannot report it. */
  readonly retryAfter?: DurationInput
}

export interface ProcessOptions {
  /** In a session of its own, out of reach of a signal to the group of the CLI. Default: false. */
  readonly ownSession?: boolean
  /** Keeps the CLI's stdout open. Default: false. */
  readonly holdsStdout?: boolean
  /** Ignores SIGTERM, SIGINT and SIGHUP. Default: false. */
  readonly deaf?: boolean
}
