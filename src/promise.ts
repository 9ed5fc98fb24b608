/** The plain door: `for await` over events, `await` for a result. The types are those of the Effect door. */
export * as Approvals from "./Approvals.ts"
export { AgentError, Refused } from "./contract/AgentError.ts"
export type * from "./index.ts"
export {
  type CreateAcpAgentOptions,
  type CreateAgentOptions,
  createAcpAgent,
  createAgent
} from "./plain/CreateAgent.ts"
export type { PlainAgent } from "./plain/PlainAgent.ts"
export { createEventFeed, type PlainEventFeed, stamped } from "./plain/PlainEventFeed.ts"
export type { PlainGate, PlainPermit, PlainSeams } from "./plain/PlainGate.ts"
export type { PlainOpenParams, PlainSession } from "./plain/PlainSession.ts"
export { mayRetry } from "./Retry.ts"
