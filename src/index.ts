/** Door for Effect callers: `yield* AgentRuntime`, provided by `Claude.layer()`. */

export { Acp } from "./agents/Acp.ts"
export { AgentRuntime } from "./agents/AgentRuntime.ts"
export { type Agent, Agents, Claude, type CliId, Codex, clis, Gemini, OpenCode, Pi } from "./agents/Agents.ts"
export * as Approvals from "./agents/Approvals.ts"
export { type EventFeed, makeEventFeed, stamped } from "./agents/EventFeed.ts"
export type { Gate, Permit } from "./agents/engine/Gate.ts"
export { Gates, gatesLayer } from "./agents/engine/Gates.ts"
export { type Observed, Observer, Observers, observersLayer, type QueuedOptions } from "./agents/engine/Observer.ts"
export { hostToolsOf } from "./agents/HostTools.ts"
export { replay } from "./agents/Replay.ts"
export { type RetryOptions, retryPolicy } from "./agents/Retry.ts"
export {
  AcpAgent,
  ClaudeAgent,
  CodexAgent,
  GeminiAgent,
  OpenCodeAgent,
  PiAgent,
  type TypedAgent
} from "./agents/TypedAgents.ts"
export { readConfiguration } from "./api/Configuration.ts"
export { configuredAgent } from "./api/config/ConfiguredAgent.ts"
export { doctor } from "./api/Doctor.ts"
export * as Cli from "./cli/Cli.ts"
export * from "./contract/AgentError.ts"
export * from "./contract/AgentEvent.ts"
export type { ParamsOf } from "./contract/AgentExecuteParams.ts"
export { AgentExecuteParams, McpServer, PermissionMode, Timeouts } from "./contract/AgentExecuteParams.ts"
export type * from "./contract/AgentModels.ts"
export type { ConversationOpenParams, OpenParamsOf, TurnOptions, TurnParams } from "./contract/AgentOpenParams.ts"
export { AgentOpenParams, QuestionOptions } from "./contract/AgentOpenParams.ts"
export type { AcpOptions } from "./contract/AgentOptions.ts"
export { AgentDefaults, AgentOptions, EnvironmentOptions, Limits } from "./contract/AgentOptions.ts"
export {
  AgentRunResult,
  AgentUsage,
  ModelUsage,
  PermissionDenial,
  ProcessExit,
  RunOutcome
} from "./contract/AgentRunResult.ts"
export type { AgentSession } from "./contract/AgentSession.ts"
export * from "./contract/AgentsError.ts"
export type { Attachment, DataAttachment, FileAttachment } from "./contract/Attachment.ts"
export type * from "./contract/Budget.ts"
export type { AcpAgentId, AgentId, KnownAgentId } from "./contract/CliSupport.ts"
export type {
  Configuration,
  ConfigurationOptions,
  ConfiguredAgent,
  ConfiguredChoice,
  ConfiguredDirectory,
  ConfiguredRun,
  ConfiguredStore
} from "./contract/Configuration.ts"
export type { ConfigurationErrorFields, ConfigurationProblem } from "./contract/ConfigurationError.ts"
export { ConfigurationError } from "./contract/ConfigurationError.ts"
export type * from "./contract/DoctorReport.ts"
export { ErrorCategory } from "./contract/ErrorCategory.ts"
export type * from "./contract/EventFeed.ts"
export { RunReason } from "./contract/FailureReason.ts"
export { Hook, HostTool } from "./contract/HostTool.ts"
export type {
  Awaitable,
  DurationInput,
  DurationParts,
  DurationUnit,
  EffectDuration,
  EffectOf,
  Eventually
} from "./contract/Input.ts"
export { mayFallBack, mayRetry } from "./contract/MayRetry.ts"
export type { Observation, ObservedEvents, ObservedLines } from "./contract/Observer.ts"
export type { EffectSchema, JsonSchema, OutputSchema, StandardSchema } from "./contract/OutputSchema.ts"
export type { RunOptions } from "./contract/PlainAgent.ts"
export type { Delivery } from "./contract/PlainSession.ts"
export type { MaybeSecret, Redacted } from "./contract/Redacted.ts"
export type * from "./contract/Route.ts"
export { Answers, DecidedBy, PermissionScope, Question } from "./contract/SessionEvent.ts"
export type * from "./contract/Sessions.ts"
export type * from "./contract/SeveralAgents.ts"
export type {
  Amendment,
  Asking,
  End,
  GateNotice,
  GateStart,
  OmittedParam,
  RunStart,
  RunStartParams,
  SessionStart,
  SessionStartParams,
  Start,
  TurnStart,
  Waiting
} from "./contract/Start.ts"
export * from "./contract/StoreError.ts"
export type { TelemetryOptions } from "./contract/Telemetry.ts"
export { FileEdit, ImageType, PlanEntry, PlanStatus, ToolMedia } from "./contract/ToolEvent.ts"
export type * from "./contract/Usage.ts"
export * from "./contract/WorktreeError.ts"
export { WorktreeOptions } from "./contract/WorktreeOptions.ts"
export type * from "./contract/Worktrees.ts"
export type { History } from "./conversations/history/History.ts"
export { parseResumeLine, resumeLine } from "./conversations/ResumeLine.ts"
export { route } from "./conversations/Route.ts"
export { SessionHistory } from "./conversations/SessionHistory.ts"
export { Sessions } from "./conversations/Sessions.ts"
export type {
  FileStoreOptions,
  MemoryStoreOptions,
  OpenStore,
  PostgresStoreOptions
} from "./conversations/store/OpenStore.ts"
export { Store } from "./conversations/store/Store.ts"
export type { Entered, WorktreeEntry, WorktreeRequest } from "./conversations/turns/WorktreeEntry.ts"
export { Worktrees } from "./conversations/Worktrees.ts"
export type { WorktreeOperations } from "./conversations/worktrees/WorktreeOperations.ts"
export type { FileDiff, WorktreeViews } from "./conversations/worktrees/WorktreeViews.ts"
export { Ledger } from "./money/Ledger.ts"
export { HostEnvironment } from "./system/process/HostEnvironment.ts"
export type { Platform } from "./system/process/Platform.ts"
