/** The classes of errors as values of the plain door, with types that are written by hand. */

import { Logger } from "effect"
import * as Classes from "../../contract/AgentError.ts"
import * as Several from "../../contract/AgentsError.ts"
import type * as TypesOfConfiguration from "../../contract/Configuration.ts"
import * as OfConfiguration from "../../contract/ConfigurationError.ts"
import type * as Reasons from "../../contract/Reasons.ts"
import * as OfStores from "../../contract/StoreError.ts"
import type * as Types from "../../contract/types/AgentError.ts"
import type * as TypesOfSeveral from "../../contract/types/AgentsError.ts"
import type * as TypesOfStores from "../../contract/types/StoreError.ts"

/** Where the plain door's warnings go: to stderr, since the host may use stdout for a protocol. */
export const warnings = Logger.layer([Logger.withConsoleError(Logger.formatLogFmt)])

interface AgentErrorClass {
  new (fields: Types.AgentErrorFields): Types.AgentError
  readonly prototype: Types.AgentError
}

interface AgentsErrorClass {
  new (fields: TypesOfSeveral.AgentsErrorFields): TypesOfSeveral.AgentsError
  readonly prototype: TypesOfSeveral.AgentsError
}

interface StoreErrorClass {
  new (fields: TypesOfStores.StoreErrorFields): TypesOfStores.StoreError
  readonly prototype: TypesOfStores.StoreError
}

interface ConfigurationErrorClass {
  new (fields: TypesOfConfiguration.ConfigurationErrorFields): TypesOfConfiguration.ConfigurationError
  readonly prototype: TypesOfConfiguration.ConfigurationError
}

interface RefusedClass {
  new (fields: Reasons.RefusedFields): Reasons.Refused
  readonly prototype: Reasons.Refused
}

/** The only error of the plain door, for `error instanceof AgentError`. */
export const AgentError = Classes.AgentError as unknown as AgentErrorClass // a reason is an instance of its class
export type AgentError = Types.AgentError

/** The only error of `race`, `each` and `fallback`, for `error instanceof AgentsError`. */
export const AgentsError = Several.AgentsError as unknown as AgentsErrorClass // a reason is an instance of its class
export type AgentsError = TypesOfSeveral.AgentsError

/** The only error of a store, for `error instanceof StoreError`. */
export const StoreError = OfStores.StoreError as unknown as StoreErrorClass // a reason is an instance of its class
export type StoreError = TypesOfStores.StoreError

/** What a gate throws to refuse. */
export const Refused: RefusedClass = Classes.Refused
export type Refused = Reasons.Refused

/** The error of `readConfiguration`, for `error instanceof ConfigurationError`. */
export const ConfigurationError: ConfigurationErrorClass = OfConfiguration.ConfigurationError
export type ConfigurationError = TypesOfConfiguration.ConfigurationError
