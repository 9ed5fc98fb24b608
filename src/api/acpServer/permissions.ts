/**
 * A permission request → the question to the client, and its answer → ours; pure. Nothing is allowed but by an option that
 * was offered and chosen: whatever else comes back denies.
 */
import { Predicate } from "effect"
import { obstacleOf } from "../../agents/approvals/preview.ts"
import type { PlanAnswer } from "../../contract/Rule.ts"
import type { PermissionRequestEvent } from "../../contract/SessionEvent.ts"
import { shortLine } from "../../contract/text/oneLine.ts"
import { requestedCall } from "./toolCalls.ts"

const allow = "allow"
const reject = "reject"
/** Before the id of the scope for which it is remembered. */
const always = "always:"

/** An agent may offer many; a person reads few. */
const mostScopes = 8
const longestName = 300

export interface PermissionOption {
  readonly optionId: string
  readonly name: string
  readonly kind: "allow_once" | "allow_always" | "reject_once"
}

/** The covered scope is spelled out in full: a name must not hide how far it reaches. */
const scopeOptions = ({ scopes }: PermissionRequestEvent): ReadonlyArray<PermissionOption> =>
  scopes
    .slice(0, mostScopes)
    .filter(({ label, covers }) => label.length + covers.length < longestName)
    .map(({ id, label, covers }) => ({
      optionId: `${always}${id}`,
      name: shortLine(`Always allow ${label}${covers === "" ? "" : ` (${covers})`}`, longestName + 20),
      kind: "allow_always"
    }))

const allowOptions = (request: PermissionRequestEvent): ReadonlyArray<PermissionOption> =>
  obstacleOf(request) === undefined
    ? [
        { optionId: allow, name: request.kind === "plan" ? "Approve the plan" : "Allow", kind: "allow_once" },
        ...scopeOptions(request)
      ]
    : []

/** A request without a preview can only be rejected. */
export const optionsOf = (request: PermissionRequestEvent): ReadonlyArray<PermissionOption> => [
  ...allowOptions(request),
  { optionId: reject, name: request.kind === "plan" ? "Keep planning" : "Reject", kind: "reject_once" }
]

export const permissionParams = (sessionId: string, request: PermissionRequestEvent) => ({
  sessionId,
  toolCall: requestedCall(request),
  options: optionsOf(request)
})

const chosenOption = (result: unknown): string | undefined => {
  const outcome = Predicate.hasProperty(result, "outcome") ? result.outcome : undefined
  if (!Predicate.hasProperty(outcome, "outcome") || outcome.outcome !== "selected") return undefined
  return Predicate.hasProperty(outcome, "optionId") && Predicate.isString(outcome.optionId)
    ? outcome.optionId
    : undefined
}

const where = "editor"

export const answerOf = (request: PermissionRequestEvent, result: unknown): PlanAnswer => {
  const chosen = chosenOption(result)
  const option = optionsOf(request).find(({ optionId }) => optionId === chosen)
  if (option === undefined) return { decision: "deny", message: "The request was cancelled.", where }
  if (option.kind === "reject_once") return { decision: "deny", where }
  if (option.kind === "allow_once") return { decision: "allow", where }
  return { decision: "allow", remember: option.optionId.slice(always.length), where }
}

/** The client failed, or is gone. */
export const unanswered: PlanAnswer = { decision: "deny", message: "The editor gave no answer.", where }
