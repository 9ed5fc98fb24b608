/** The reason why a machine cannot take part in a cluster, or a turn cannot be sent to one. */
import { Schema } from "effect"
import { acrossCopies } from "../contract/acrossCopies.ts"

/**
 * - `home_taken`: another machine has this name. `home_served`: another process of this machine serves it.
 * - `clock`: this machine's clock differs from the database's. `version`: the two speak different protocols.
 * - `address`: it cannot listen there. `full`: the cluster has the most homes that are possible.
 * - `home_name`: the name is invalid. `database`: the store is not on a server. `limits`: it is below 1.
 */
export class ClusterError extends Schema.TaggedError<ClusterError>()("ClusterError", {
  code: Schema.Literals([
    "home_taken",
    "home_served",
    "home_name",
    "home_unknown",
    "home_running",
    "clock",
    "version",
    "address",
    "full",
    "database",
    "limits"
  ]),
  problem: Schema.String,
  /** The fix: a sentence. */
  cure: Schema.String
}) {
  override get message(): string {
    return `${this.problem}: ${this.cure}`
  }
}

acrossCopies(ClusterError, ClusterError.identifier)
