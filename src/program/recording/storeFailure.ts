/** A store that cannot be opened → the reason with which a run fails that needs it. */
import { type FailureReason, StoreUnavailable } from "../../contract/AgentError.ts"
import type { StoreError } from "../../contract/StoreError.ts"

export const failureOf = ({ reason, help }: StoreError): FailureReason => {
  switch (reason._tag) {
    case "StoreUnavailable":
    case "InvalidParams":
    case "SessionBusy":
    case "Aborted":
      return reason
    default:
      return new StoreUnavailable({ problem: `${reason.message}. ${help}` })
  }
}
