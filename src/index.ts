/** Door for Effect callers: `yield* AgentRuntime`, provided by `Claude.layer()`. */
export {
  Aborted,
  AgentError,
  AgentFailed,
  BillingMismatch,
  CommandLineTooLong,
  Exited,
  FailureReason,
  InvalidParams,
  Killed,
  LimitReached,
  NoResult,
  NotInstalled,
  PermissionModeMismatch,
  SchemaNotMet,
  SessionChanged,
  SettingsUnreadable,
  SpawnFailed,
  StartLimit,
  TimedOut,
  UnsupportedOption,
  WatchState
} from "./AgentError.ts"
export {
  AgentEvent,
  DoneEvent,
  ErrorEvent,
  NoticeEvent,
  NoticeKind,
  PermissionDecisionEvent,
  PermissionRequestEvent,
  QuestionAnswerEvent,
  QuestionEvent,
  SessionEvent,
  TextEvent,
  ThinkingEvent,
  ToolKind,
  ToolResultEvent,
  ToolUseEvent,
  TurnDoneEvent,
  UnknownEvent,
  UsageEvent
} from "./AgentEvent.ts"
export { AgentExecuteParams, McpServer, PermissionMode, Timeouts } from "./AgentExecuteParams.ts"
export { AgentOpenParams, QuestionOptions } from "./AgentOpenParams.ts"
export { AgentOptions, EnvironmentOptions, Limits } from "./AgentOptions.ts"
export {
  AgentRunResult,
  AgentUsage,
  ErrorCategory,
  ModelUsage,
  PermissionDenial,
  ProcessExit,
  RunOutcome,
  RunReason
} from "./AgentRunResult.ts"
export { AgentRuntime } from "./AgentRuntime.ts"
export type { AgentSession, Delivery } from "./AgentSession.ts"
export * as Approvals from "./Approvals.ts"
export { Acp, type AcpOptions } from "./acp.ts"
export { type Agent, Claude, type CliId, Codex, clis, Gemini, OpenCode } from "./agents.ts"
export type { Cli } from "./cli/Cli.ts"
export { Hook, HostTool } from "./hostTools.ts"
export { HostEnvironment } from "./process/environment.ts"
export type { Platform } from "./process/platform.ts"
export { replay } from "./replay.ts"
export { mayRetry, type RetryOptions, retryPolicy } from "./retry.ts"
export type { ScriptedEvents } from "./run/scripted.ts"
export { Answers, DecidedBy, FileEdit, PermissionScope, Question } from "./SessionEvent.ts"
export { hostToolsOf } from "./toolkit.ts"
