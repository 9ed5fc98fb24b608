/** An error of the store as the reason with which a run fails. */
import { Effect } from "effect"
import { type FailureReason, StoreUnavailable } from "../../contract/AgentError.ts"
import type { StoreError } from "../../contract/StoreError.ts"

export const storeFailure = ({ reason }: StoreError): FailureReason =>
  reason._tag === "StoreUnavailable" ? reason : new StoreUnavailable({ problem: reason.message })

export const refusedByStore = <A, R>(
  work: Effect.Effect<A, FailureReason | StoreError, R>
): Effect.Effect<A, FailureReason, R> =>
  Effect.mapError(work, (error) => (error._tag === "StoreError" ? storeFailure(error) : error))
