/** The options of the makers of steps. Types only. */
import type { DurationInput } from "../contract/Input.ts"
import type { FailureKind } from "./Steps.ts"

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
  /** Until the next attempt. It is only said; to take the time needs a `wait`. Default: 1 s. */
  readonly delay?: DurationInput
}

export interface FailureOptions {
  /** The category of the `error` event. Default: `other`. */
  readonly kind?: FailureKind
  /** Default: what the CLI says of such a failure. */
  readonly message?: string
  /** When to ask again. It is only said. Default: nothing is said of it. Codex cannot tell it. */
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
