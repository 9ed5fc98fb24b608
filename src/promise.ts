/** The plain door: `for await` over events, `await` for a result. Its declarations name no type of Effect. */
export * as Approvals from "./Approvals.ts"
export { configuredAgent } from "./config/ConfiguredAgent.ts"
export { mayFallBack } from "./contract/MayFallBack.ts"
export { mayRetry } from "./contract/MayRetry.ts"
export { redacted } from "./contract/Redacted.ts"
export { createAcpAgent, createAgent } from "./plain/CreateAgent.ts"
export { createAgents } from "./plain/CreateAgents.ts"
export { AgentError, AgentsError, ConfigurationError, Refused, StoreError } from "./plain/Errors.ts"
export { readConfiguration } from "./plain/PlainConfiguration.ts"
export { doctor } from "./plain/PlainDoctor.ts"
export { createEventFeed, stamped } from "./plain/PlainEventFeed.ts"
export { openStore } from "./plain/PlainStore.ts"
export { parseResumeLine, resumeLine } from "./ResumeLine.ts"
export { route } from "./Route.ts"
export type { AgentErrorFields } from "./types/AgentError.ts"
export type * from "./types/AgentEvent.ts"
export type * from "./types/AgentExecuteParams.ts"
export type * from "./types/AgentModels.ts"
export type * from "./types/AgentOpenParams.ts"
export type * from "./types/AgentOptions.ts"
export type * from "./types/AgentRunResult.ts"
export type * from "./types/AgentsError.ts"
export type * from "./types/Attachment.ts"
export type * from "./types/Budget.ts"
export type * from "./types/CliId.ts"
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
export type * from "./types/ErrorCategory.ts"
export type * from "./types/EventFeed.ts"
export type * from "./types/FailureReason.ts"
export type * from "./types/HostTool.ts"
export type * from "./types/Input.ts"
export type * from "./types/LedgerOptions.ts"
export type * from "./types/Observer.ts"
export type * from "./types/OutputSchema.ts"
export type * from "./types/PlainAgent.ts"
export type * from "./types/PlainAgents.ts"
export type * from "./types/PlainGate.ts"
export type * from "./types/PlainSession.ts"
export type * from "./types/PlainSessions.ts"
export type * from "./types/PlainStore.ts"
export type * from "./types/Prices.ts"
export type * from "./types/Route.ts"
export type * from "./types/SessionEvent.ts"
export type * from "./types/SessionHolder.ts"
export type * from "./types/Sessions.ts"
export type * from "./types/SeveralAgents.ts"
export type * from "./types/Start.ts"
export type {
  AmbiguousSession,
  NotKept,
  StoreErrorFields,
  StoreReason,
  StoreRefused,
  StoreTooNew,
  UnknownSession
} from "./types/StoreError.ts"
export type * from "./types/Telemetry.ts"
export type * from "./types/TurnOptions.ts"
export type * from "./types/TurnParams.ts"
export type * from "./types/Usage.ts"
