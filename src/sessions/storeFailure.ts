/** An error of the store as the reason with which a run fails. */
import { type FailureReason, StoreUnavailable } from "../contract/AgentError.ts"
import type { StoreError } from "../contract/StoreError.ts"

export const storeFailure = ({ reason }: StoreError): FailureReason =>
  reason._tag === "StoreUnavailable" ? reason : new StoreUnavailable({ problem: reason.message })
