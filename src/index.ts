/** Door for Effect callers: `yield* AgentRuntime`, provided by `Claude.layer()`. */

export { Acp } from "./Acp.ts"
export { AgentRuntime } from "./AgentRuntime.ts"
export { type Agent, Agents, Claude, type CliId, Codex, clis, Gemini, OpenCode } from "./Agents.ts"
export * as Approvals from "./Approvals.ts"
export { readConfiguration } from "./Configuration.ts"
export * as Cli from "./cli/Cli.ts"
export { configuredAgent } from "./config/ConfiguredAgent.ts"
export * from "./contract/AgentError.ts"
export * from "./contract/AgentEvent.ts"
export { AgentExecuteParams, McpServer, PermissionMode, Timeouts } from "./contract/AgentExecuteParams.ts"
export { AgentOpenParams, QuestionOptions } from "./contract/AgentOpenParams.ts"
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
export { ConfigurationError } from "./contract/ConfigurationError.ts"
export { ErrorCategory } from "./contract/ErrorCategory.ts"
export { RunReason } from "./contract/FailureReason.ts"
export { Hook, HostTool } from "./contract/HostTool.ts"
export { mayFallBack } from "./contract/MayFallBack.ts"
export { mayRetry } from "./contract/MayRetry.ts"
export {
  Answers,
  DecidedBy,
  FileEdit,
  PermissionScope,
  PlanEntry,
  PlanStatus,
  Question
} from "./contract/SessionEvent.ts"
export * from "./contract/StoreError.ts"
export { doctor } from "./Doctor.ts"
export { type EventFeed, makeEventFeed, stamped } from "./EventFeed.ts"
export type { Gate, Permit } from "./engine/Gate.ts"
export { Gates, gatesLayer } from "./engine/Gates.ts"
export { type Observed, Observer, Observers, observersLayer, type QueuedOptions } from "./engine/Observer.ts"
export { hostToolsOf } from "./HostTools.ts"
export { Ledger } from "./Ledger.ts"
export { HostEnvironment } from "./process/HostEnvironment.ts"
export type { Platform } from "./process/Platform.ts"
export { replay } from "./Replay.ts"
export { parseResumeLine, resumeLine } from "./ResumeLine.ts"
export { type RetryOptions, retryPolicy } from "./Retry.ts"
export { route } from "./Route.ts"
export { SessionHistory } from "./SessionHistory.ts"
export { Sessions } from "./Sessions.ts"
export type { History } from "./sessions/history/History.ts"
export type { FileStoreOptions, MemoryStoreOptions, OpenStore, PostgresStoreOptions } from "./store/OpenStore.ts"
export { Store } from "./store/Store.ts"
export { AcpAgent, ClaudeAgent, CodexAgent, GeminiAgent, OpenCodeAgent, type TypedAgent } from "./TypedAgents.ts"
export type { ParamsOf } from "./types/AgentExecuteParams.ts"
export type * from "./types/AgentModels.ts"
export type { OpenParamsOf } from "./types/AgentOpenParams.ts"
export type { AcpOptions } from "./types/AgentOptions.ts"
export type * from "./types/Attachment.ts"
export type * from "./types/Budget.ts"
export type { AgentId } from "./types/CliId.ts"
export type {
  Configuration,
  ConfigurationErrorFields,
  ConfigurationOptions,
  ConfigurationProblem,
  ConfiguredAgent,
  ConfiguredChoice,
  ConfiguredDirectory,
  ConfiguredRun,
  ConfiguredStore
} from "./types/Configuration.ts"
export type * from "./types/DoctorReport.ts"
export type * from "./types/EventFeed.ts"
export type * from "./types/Input.ts"
export type * from "./types/LedgerOptions.ts"
export type { Observation, ObservedEvents, ObservedLines } from "./types/Observer.ts"
export type { EffectSchema, JsonSchema, OutputSchema, StandardSchema } from "./types/OutputSchema.ts"
export type { RunOptions } from "./types/PlainAgent.ts"
export type { Delivery } from "./types/PlainSession.ts"
export type * from "./types/Prices.ts"
export type * from "./types/Route.ts"
export type * from "./types/SessionHolder.ts"
export type * from "./types/Sessions.ts"
export type * from "./types/SeveralAgents.ts"
export type * from "./types/Start.ts"
export type { TelemetryOptions } from "./types/Telemetry.ts"
export type { TurnOptions } from "./types/TurnOptions.ts"
export type { ConversationOpenParams, TurnParams } from "./types/TurnParams.ts"
export type * from "./types/Usage.ts"
