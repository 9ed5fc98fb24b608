/** The classes of errors as values of the plain door, with types that are written by hand. */
import { Logger } from "effect"
import * as Agent from "../../contract/AgentError.ts"
import * as Agents from "../../contract/AgentsError.ts"
import * as Configuration from "../../contract/ConfigurationError.ts"
import * as Store from "../../contract/StoreError.ts"
import * as Worktree from "../../contract/WorktreeError.ts"

/** Logs warnings of the plain door to stderr, since the host may use stdout for a protocol. */
export const warnings = Logger.layer([Logger.withConsoleError(Logger.formatLogFmt)])

/** The constructor of an error, without the members of a Schema. */
interface ErrorClass<Fields, Self> {
  new (fields: Fields): Self
  readonly prototype: Self
}

/** The only error of the plain door, for `error instanceof AgentError`. */
export const AgentError: ErrorClass<Agent.AgentErrorFields, Agent.AgentError> = Agent.AgentError
export type AgentError = Agent.AgentError

/** The only error of `race`, `each` and `fallback`, for `error instanceof AgentsError`. */
export const AgentsError: ErrorClass<Agents.AgentsErrorFields, Agents.AgentsError> = Agents.AgentsError
export type AgentsError = Agents.AgentsError

/** The only error of a store, for `error instanceof StoreError`. */
export const StoreError: ErrorClass<Store.StoreErrorFields, Store.StoreError> = Store.StoreError
export type StoreError = Store.StoreError

/** The only error of the worktrees of conversations, for `error instanceof WorktreeError`. */
export const WorktreeError: ErrorClass<Worktree.WorktreeErrorFields, Worktree.WorktreeError> = Worktree.WorktreeError
export type WorktreeError = Worktree.WorktreeError

/** Thrown by a gate to refuse. */
export const Refused: ErrorClass<Agent.RefusedFields, Agent.Refused> = Agent.Refused
export type Refused = Agent.Refused

/** The error of `readConfiguration`, for `error instanceof ConfigurationError`. */
export const ConfigurationError: ErrorClass<Configuration.ConfigurationErrorFields, Configuration.ConfigurationError> =
  Configuration.ConfigurationError
export type ConfigurationError = Configuration.ConfigurationError
