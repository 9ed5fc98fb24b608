/** Door for Effect callers: `yield* AgentRuntime`, provided by `Claude.layer()`. */

export { Acp, type AcpOptions } from "./Acp.ts"
export { AgentRuntime } from "./AgentRuntime.ts"
export { type Agent, Claude, type CliId, Codex, clis, Gemini, OpenCode } from "./Agents.ts"
export * as Approvals from "./Approvals.ts"
export * as Cli from "./cli/Cli.ts"
export * from "./contract/AgentError.ts"
export * from "./contract/AgentEvent.ts"
export { AgentExecuteParams, McpServer, PermissionMode, Timeouts } from "./contract/AgentExecuteParams.ts"
export { AgentOpenParams, QuestionOptions } from "./contract/AgentOpenParams.ts"
export { AgentOptions, EnvironmentOptions, Limits } from "./contract/AgentOptions.ts"
export {
  AgentRunResult,
  AgentUsage,
  ModelUsage,
  PermissionDenial,
  ProcessExit,
  RunOutcome
} from "./contract/AgentRunResult.ts"
export type { AgentSession, Delivery } from "./contract/AgentSession.ts"
export { ErrorCategory } from "./contract/ErrorCategory.ts"
export { RunReason } from "./contract/FailureReason.ts"
export { Hook, HostTool } from "./contract/HostTool.ts"
export {
  Answers,
  DecidedBy,
  FileEdit,
  PermissionScope,
  PlanEntry,
  PlanStatus,
  Question
} from "./contract/SessionEvent.ts"
export type {
  End,
  RunStart,
  RunStartParams,
  SessionStart,
  SessionStartParams,
  Start,
  TurnStart
} from "./contract/Start.ts"
export {
  type EventFeed,
  type EventFeedOptions,
  type EventRequest,
  makeEventFeed,
  type Stamped,
  stamped
} from "./EventFeed.ts"
export type { Gate, GateStart, Permit, Waiting } from "./engine/Gate.ts"
export { Gates, gatesLayer } from "./engine/Gates.ts"
export {
  type Observation,
  type Observed,
  type ObservedEvents,
  type ObservedLines,
  Observer,
  Observers,
  observersLayer,
  type QueuedOptions
} from "./engine/Observer.ts"
export { hostToolsOf } from "./HostTools.ts"
export { HostEnvironment } from "./process/HostEnvironment.ts"
export type { Platform } from "./process/Platform.ts"
export { replay } from "./Replay.ts"
export { mayRetry, type RetryOptions, retryPolicy } from "./Retry.ts"
export type { Attachment, DataAttachment, FileAttachment } from "./types/Attachment.ts"
export type { EffectSchema, JsonSchema, OutputSchema, StandardSchema } from "./types/OutputSchema.ts"
export type { TurnOptions } from "./types/TurnOptions.ts"
