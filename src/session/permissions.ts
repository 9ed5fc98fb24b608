/**
 * The requests of a live session, from what the dialogue hears to the one answer: by a rule at once, or by a person, a
 * deadline or the end.
 */
import { Result } from "effect"
import { planAnswerProblem, scopeProblem } from "../approvals/answers.ts"
import type { Concluded } from "../approvals/approver.ts"
import { type Judged, judgedOf } from "../approvals/judged.ts"
import { InvalidParams } from "../contract/AgentError.ts"
import type { AgentEvent } from "../contract/AgentEvent.ts"
import type { Decision, PermissionAsk } from "../contract/Ask.ts"
import type { PlanAnswer } from "../contract/Rule.ts"
import type { DecidedBy, PermissionRequestEvent } from "../contract/SessionEvent.ts"
import { type AsksOptions, nested, untilMs } from "./askOptions.ts"
import { makePending } from "./pending.ts"

/** What the agent is told of a denial that says nothing itself: who it comes from. */
const bareMessages: { readonly [By in DecidedBy]?: string } = {
  caller: "The user denied this.",
  handler: "The application denied this."
}

/** What the agent is told where nobody has decided. */
const undecided = (waitMs: number) => ({
  deadline: `Nobody answered within ${waitMs / 1000} s.`,
  handler: "The function that decides on this failed: nobody has decided."
})

/** To call the tool as it was would do what nobody has allowed. */
const unchangeable: Decision = {
  decision: "deny",
  message: "The user wants this called with another input, which could not be handed over. Ask how to go on."
}

const decisionEvent = (
  request: PermissionRequestEvent,
  { decision, remembered }: Concluded,
  by: DecidedBy
): AgentEvent => ({
  type: "permission_decision",
  requestId: request.requestId,
  decision: decision.decision,
  by,
  ...(decision.decision === "deny" ? { message: decision.message } : {}),
  ...(decision.decision === "allow" && decision.input !== undefined ? { input: decision.input } : {}),
  ...(remembered === undefined ? {} : { remembered }),
  ...nested(request)
})

export const makePermissions = (options: AsksOptions) => {
  const { approver, dialogue, workingDirectory, give, perform, isWritable, fork, now } = options
  const pending = makePending<PlanAnswer>(fork, planAnswerProblem)
  const waiting = new Map<string, PermissionRequestEvent>()

  const withdrawn = (request: PermissionRequestEvent, by: DecidedBy) => {
    const { requestId } = request
    waiting.delete(requestId)
    give({ type: "permission_decision", requestId, decision: "withdrawn", by, ...nested(request) })
  }

  const warn = ({ requestId }: PermissionRequestEvent, message: string) =>
    give({ type: "notice", kind: "warning", message, data: { requestId } })

  const tell = (request: PermissionRequestEvent, given: Concluded, takesInput: boolean, by: DecidedBy) => {
    if (!isWritable()) {
      withdrawn(request, "end")
      return false
    }
    const { decision } = given
    const isPossible = takesInput || decision.decision === "deny" || decision.input === undefined
    const concluded = isPossible ? given : { decision: unchangeable }
    if (!isPossible) warn(request, `${request.toolName} was denied: this agent takes no changed input`)
    give(decisionEvent(request, concluded, by))
    perform(dialogue.decide(request.requestId, concluded.decision))
    return true
  }

  const settled = (asked: Judged, takesInput: boolean) => (answer: PlanAnswer, by: DecidedBy) => {
    const { request, grants } = asked
    waiting.delete(request.requestId)
    const bareMessage = bareMessages[by]
    const wrong = scopeProblem(request, answer)
    if (wrong !== undefined) warn(request, `The answer is not remembered: ${wrong.option} ${wrong.problem}`)
    const context = { grants, ...(bareMessage === undefined ? {} : { bareMessage }) }
    return tell(request, approver.conclude(request, answer, context), takesInput, by)
  }

  const ask = (asked: PermissionAsk) => {
    const judged = judgedOf(asked, workingDirectory)
    const { request } = judged
    const { takesInput } = asked
    const ruling = approver.consider(request)
    if (ruling._tag === "Decided") {
      give(request)
      tell(request, ruling, takesInput, ruling.by)
      return
    }
    const { handler, waitMs, otherwise } = ruling
    const shown = { ...request, ...judged.preview(), ...untilMs(now, waitMs) }
    give(shown)
    waiting.set(request.requestId, request)
    const reasons = undecided(waitMs)
    pending.add({
      requestId: request.requestId,
      handler: handler === undefined ? undefined : (context) => handler(shown, context),
      waitMs,
      otherwise: (why) => (otherwise === "allow" ? { decision: "allow" } : { decision: "deny", message: reasons[why] }),
      settle: settled(judged, takesInput),
      withdrawn: (by) => withdrawn(request, by)
    })
  }

  const check = (callId: string, checked: PermissionAsk) => {
    const { request } = judgedOf(checked, workingDirectory)
    const denial = approver.forbids(request)
    if (denial !== undefined) {
      give(request)
      give(decisionEvent(request, { decision: denial }, "rule"))
    }
    perform(dialogue.reply(callId, denial?.message))
  }

  const decide = (requestId: string, answer: PlanAnswer) => {
    const request = waiting.get(requestId)
    const wrong = planAnswerProblem(answer) ?? (request && scopeProblem(request, answer))
    if (wrong !== undefined) return Result.fail(new InvalidParams(wrong))
    return Result.succeed(pending.settle(requestId, answer, "caller"))
  }
  return { pending, ask, check, decide }
}
