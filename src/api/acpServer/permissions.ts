/**
 * A permission request → the question to the client, and its answer → ours; pure. Only an option that was offered and
 * chosen allows: any other answer denies.
 */
import { Option, Schema } from "effect"
import { editsScope } from "../../agents/approvals/plannedEdits.ts"
import { obstacleOf } from "../../agents/approvals/preview.ts"
import type { PlanAnswer } from "../../contract/Rule.ts"
import type { PermissionRequestEvent } from "../../contract/SessionEvent.ts"
import { shortLine } from "../../contract/text/harmless.ts"
import { requestedCall } from "./toolCalls.ts"

const allow = "allow"
const reject = "reject"
/** Prefix of the id of the scope for which it is remembered. */
const always = "always:"
/** An agent may offer many; a person reads few. */
const mostScopes = 8
const longestName = 300

export interface PermissionOption {
  readonly optionId: string
  readonly name: string
  readonly kind: "allow_once" | "allow_always" | "reject_once"
}

/** The scope is spelled out in full: a name must not hide how far it reaches. */
const scopeOptions = ({ scopes }: PermissionRequestEvent): ReadonlyArray<PermissionOption> =>
  scopes
    .slice(0, mostScopes)
    .filter(({ label, covers }) => label.length + covers.length < longestName)
    .map(({ id, label, covers }) => ({
      optionId: `${always}${id}`,
      name: shortLine(
        `${id === editsScope ? "Approve" : "Always allow"} ${label}${covers === "" ? "" : ` (${covers})`}`,
        longestName + 20
      ),
      kind: "allow_always"
    }))

/** A request without a preview can only be rejected. */
export const optionsOf = (request: PermissionRequestEvent): ReadonlyArray<PermissionOption> => {
  const [yes, no] = request.kind === "plan" ? ["Approve the plan", "Keep planning"] : ["Allow", "Reject"]
  const rejecting = { optionId: reject, name: no, kind: "reject_once" } as const
  if (obstacleOf(request) !== undefined) return [rejecting]
  return [{ optionId: allow, name: yes, kind: "allow_once" }, ...scopeOptions(request), rejecting]
}

export const permissionParams = (sessionId: string, request: PermissionRequestEvent) => ({
  sessionId,
  toolCall: requestedCall(request),
  options: optionsOf(request)
})

const Selected = Schema.Struct({ outcome: Schema.Literal("selected"), optionId: Schema.String })
const decode = Schema.decodeUnknownOption(Schema.Struct({ outcome: Selected }))
const where = "editor"

export const answerOf = (request: PermissionRequestEvent, result: unknown): PlanAnswer => {
  const chosen = Option.getOrUndefined(decode(result))?.outcome.optionId
  const option = optionsOf(request).find(({ optionId }) => optionId === chosen)
  if (option === undefined) return { decision: "deny", message: "The request was cancelled.", where }
  if (option.kind === "reject_once") return { decision: "deny", where }
  if (option.kind === "allow_once") return { decision: "allow", where }
  return { decision: "allow", remember: option.optionId.slice(always.length), where }
}

export const unanswered: PlanAnswer = { decision: "deny", message: "The editor gave no answer.", where }
