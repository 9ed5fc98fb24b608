/** The plain door: `for await` over events, `await` for a result. Its declarations name no type of Effect. */
export * as Approvals from "./agents/Approvals.ts"
export { configuredAgent } from "./api/config/ConfiguredAgent.ts"
export { createAcpAgent, createAgent } from "./api/promise/CreateAgent.ts"
export { createAgents } from "./api/promise/CreateAgents.ts"
export {
  AgentError,
  AgentsError,
  ConfigurationError,
  Refused,
  StoreError,
  WorktreeError
} from "./api/promise/Errors.ts"
export { createEventFeed, stamped } from "./api/promise/PlainEventFeed.ts"
export { doctor, readConfiguration } from "./api/promise/PlainMachine.ts"
export { openStore } from "./api/promise/PlainStore.ts"
export type { AgentErrorFields } from "./contract/AgentError.ts"
export type * from "./contract/AgentEvent.ts"
export type * from "./contract/AgentExecuteParams.ts"
export type * from "./contract/AgentModels.ts"
export type * from "./contract/AgentOpenParams.ts"
export type { AcpOptions, AgentDefaults, AgentOptions, EnvironmentOptions, Limits } from "./contract/AgentOptions.ts"
export type * from "./contract/AgentRunResult.ts"
export type * from "./contract/AgentsError.ts"
export type { Attachment, DataAttachment, FileAttachment } from "./contract/Attachment.ts"
export type * from "./contract/Budget.ts"
export type { AcpAgentId, AgentId, CliId, KnownAgentId } from "./contract/CliSupport.ts"
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
export type * from "./contract/DoctorReport.ts"
export type * from "./contract/ErrorCategory.ts"
export type * from "./contract/EventFeed.ts"
export type { FailureReason, RunReason } from "./contract/FailureReason.ts"
export type * from "./contract/Failures.ts"
export type { CallContext, Hook, HookEvent, HostTool } from "./contract/HostTool.ts"
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
export type * from "./contract/NotAdmitted.ts"
export type * from "./contract/Observer.ts"
export type * from "./contract/OutputSchema.ts"
export type * from "./contract/PlainAgent.ts"
export type * from "./contract/PlainGate.ts"
export type * from "./contract/PlainSession.ts"
export type * from "./contract/PlainStore.ts"
export { type MaybeSecret, type Redacted, redacted } from "./contract/Redacted.ts"
export type * from "./contract/Refusals.ts"
export type * from "./contract/Route.ts"
export type * from "./contract/SessionEvent.ts"
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
export type {
  AmbiguousSession,
  NotKept,
  StoreErrorFields,
  StoreReason,
  StoreRefused,
  StoreTooNew,
  UnknownSession
} from "./contract/StoreError.ts"
export type * from "./contract/Telemetry.ts"
export type * from "./contract/ToolEvent.ts"
export type * from "./contract/Usage.ts"
export type {
  ChangedSince,
  Conflicting,
  UnknownWorktree,
  WorktreeBusy,
  WorktreeErrorFields,
  WorktreeReason,
  WorktreeRefused,
  WouldOverwrite
} from "./contract/WorktreeError.ts"
export type * from "./contract/WorktreeOptions.ts"
export type * from "./contract/Worktrees.ts"
export { parseResumeLine, resumeLine } from "./conversations/ResumeLine.ts"
export { route } from "./conversations/Route.ts"
