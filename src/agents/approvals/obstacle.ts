/** Requests that no person may allow, because they do not show their effect; pure. */
import type { PermissionRequestEvent } from "../../contract/SessionEvent.ts"

/** Why a request can only be denied, as a sentence; undefined: it can be allowed. */
export const obstacleOf = ({
  kind,
  plan,
  notShown
}: Pick<PermissionRequestEvent, "kind" | "plan" | "notShown">): string | undefined => {
  if (kind === "plan" && (plan === undefined || plan.trim() === ""))
    return "Its plan is not in the request, so it can only be denied."
  return notShown === undefined ? undefined : `Not all of it can be shown (${notShown}), so it can only be denied.`
}
