/** Applies the rules of a session to requests: decides at once, or names who is to be asked. Plain state without Effect. */

import { toMillis } from "../../contract/Input.ts"
import type { Decision } from "../../contract/Rule.ts"
import {
  type ApprovalRule,
  defaultDeadline,
  type Match,
  type PermissionHandler,
  type PlanAnswer,
  type PlanHandler
} from "../../contract/Rule.ts"
import type { PermissionRequestEvent } from "../../contract/SessionEvent.ts"
import { fits } from "./matching.ts"
import { type Memory, makeMemory } from "./memory.ts"
import { makePlanGate, type PlanGate, visibleLength } from "./planGate.ts"
import { editsScope, makePlannedEdits, type PlannedEditsContext } from "./plannedEdits.ts"
import { scopeIdOf } from "./requestEvent.ts"

interface Asking {
  readonly _tag: "Ask"
  /** Undefined where the caller of the session answers. */
  readonly handler?: PermissionHandler | PlanHandler
  /** Time to wait for an answer; may be infinite. */
  readonly waitMs: number
  /** The decision after that time, or when the handler fails. */
  readonly otherwise: "allow" | "deny"
}

type Ruling = { readonly _tag: "Decided"; readonly decision: Decision; readonly by: "rule" | "memory" } | Asking

type Denial = Extract<Decision, { decision: "deny" }>

export type Approver = ReturnType<typeof makeApprover>
interface AnswerContext {
  /** The matches of the request's wider scopes. */
  readonly grants?: ReadonlyMap<string, Match>
  /** The message to the agent for a denial without one. */
  readonly bareMessage?: string
}

export interface Concluded {
  readonly decision: Decision
  /** The scope for which it is remembered. */
  readonly remembered?: string
}

export interface ApproverContext extends PlannedEditsContext {
  readonly now: () => number
  /** Visible characters that the main agent has written so far. */
  readonly textLength: () => number
}

const unmatched = "No rule allows this."
const forbidden = "A rule forbids this. Do not try to reach it in another way."
const denied = "This was denied."

const deny = (message: string): Denial => ({ decision: "deny", message })
const decided = (decision: Decision, by: "rule" | "memory"): Ruling => ({ _tag: "Decided", decision, by })

interface ActiveRule {
  /** Whether its answers can be remembered. */
  readonly asks?: true
  /** It asks about everything that no rule before it decides. */
  readonly asksAll?: boolean
  /** Made for the first answer that is to be remembered. */
  memory?: Memory
  /** Set for a rule that denies. */
  readonly denial?: Denial
  readonly gate?: PlanGate
  readonly matches: (request: PermissionRequestEvent) => boolean
  readonly consider: (request: PermissionRequestEvent) => Ruling
}

type Of<Tag extends ApprovalRule["_tag"]> = Extract<ApprovalRule, { readonly _tag: Tag }>

const asking = (rule: Of<"Ask" | "Plan">, otherwise: Asking["otherwise"]): Asking => ({
  _tag: "Ask",
  ...(rule.handler === undefined ? {} : { handler: rule.handler }),
  waitMs: toMillis(rule.options.deadline ?? defaultDeadline),
  otherwise
})

const fixedRule = (rule: Of<"Allow" | "Deny">, { workingDirectory }: ApproverContext): ActiveRule => {
  const isDenial = rule._tag === "Deny"
  const denial = isDenial ? deny(rule.message ?? forbidden) : undefined
  const ruling = decided(denial ?? { decision: "allow" }, "rule")
  return {
    ...(denial === undefined ? {} : { denial }),
    matches: (request) => fits(rule.match, request, isDenial ? "deny" : "allow", workingDirectory),
    consider: () => ruling
  }
}

const askRule = (rule: Of<"Ask">, { workingDirectory }: ApproverContext): ActiveRule => {
  const { match, otherwise } = rule.options
  const denies = asking(rule, "deny")
  const allows = asking(rule, "allow")
  // An unanswered request is allowed only if an allowing rule would match it.
  const isAllowed = (request: PermissionRequestEvent) =>
    otherwise === "allow" && fits(match ?? {}, request, "allow", workingDirectory)
  return {
    asks: true,
    asksAll: match === undefined,
    matches: (request) => match === undefined || fits(match, request, "deny", workingDirectory),
    consider: (request) => (isAllowed(request) ? allows : denies)
  }
}

const planRule = (rule: Of<"Plan">, { now, textLength }: ApproverContext): ActiveRule => {
  const denies = asking(rule, "deny")
  const gate = makePlanGate(rule.options)
  return {
    asks: true,
    gate,
    matches: (request) => request.kind === "plan",
    consider: (request) => {
      const planLength = visibleLength(request.plan ?? "")
      const decision = gate.attempt({ nowMs: now(), planLength, textLength: textLength() })
      return decision === undefined ? denies : decided(decision, "rule")
    }
  }
}

const activate = (rule: ApprovalRule, context: ApproverContext): ActiveRule => {
  if (rule._tag === "Ask") return askRule(rule, context)
  if (rule._tag === "Plan") return planRule(rule, context)
  return fixedRule(rule, context)
}

const decisionOf = (answer: PlanAnswer, outlineMessage: string, bareMessage: string): Decision => {
  if (answer.decision === "outline") return deny(outlineMessage)
  if (answer.decision === "allow") {
    return { decision: "allow", ...(answer.input === undefined ? {} : { input: answer.input }) }
  }
  return {
    ...deny(answer.message ?? bareMessage),
    ...(answer.message === undefined ? { isBare: true } : {}),
    ...(answer.interrupt === undefined ? {} : { interrupt: answer.interrupt })
  }
}

export const makeApprover = (rules: ReadonlyArray<ApprovalRule>, context: ApproverContext) => {
  const active = rules.map((rule) => activate(rule, context))
  const { outlineMessage } = makePlanGate({})
  const plannedEdits = makePlannedEdits<ActiveRule>(context)

  /** An approved plan answers for the rule that asked about it, or one that asks about all, never for one of its own. */
  const isPlanned = (request: PermissionRequestEvent, rule: ActiveRule): boolean => {
    const approved = plannedEdits.ruleFor(request)
    return approved !== undefined && (rule.asksAll === true || rule === approved)
  }

  return {
    consider: (request: PermissionRequestEvent): Ruling => {
      if (request.kind === "plan") plannedEdits.planAsked(request)
      for (const rule of active) {
        const remembered = rule.memory?.recall(request)
        if (remembered !== undefined) return decided(remembered, "memory")
        if (!rule.matches(request)) continue
        const ruling = rule.consider(request)
        return ruling._tag === "Ask" && isPlanned(request, rule) ? decided({ decision: "allow" }, "memory") : ruling
      }
      return decided(deny(unmatched), "rule")
    },
    /** The denial of the first rule that matches; undefined if that rule does not deny, or none matches. */
    forbids: (request: PermissionRequestEvent) => active.find(({ matches }) => matches(request))?.denial,
    /** Called once with the answer to each request that was asked and not withdrawn. */
    conclude: (
      request: PermissionRequestEvent,
      answer: PlanAnswer,
      { grants, bareMessage = denied }: AnswerContext = {}
    ): Concluded => {
      const rule = active.find(({ matches }) => matches(request))
      const decision = decisionOf(answer, rule?.gate?.outlineMessage ?? outlineMessage, bareMessage)
      rule?.gate?.decided(answer.decision, { nowMs: context.now(), textLength: context.textLength() })
      const remembered = scopeIdOf(answer)
      if (remembered === undefined || rule?.asks !== true) return { decision }
      const match = grants?.get(remembered)
      if (remembered === editsScope && match !== undefined) {
        const isAsShown = decision.decision === "allow" && !("input" in decision)
        return isAsShown && plannedEdits.allow(request, match, rule) ? { decision, remembered } : { decision }
      }
      rule.memory ??= makeMemory(context.workingDirectory)
      const isKept = rule.memory.remember(request, remembered, decision, match)
      return isKept ? { decision, remembered } : { decision }
    },
    /** Called for a further message in a turn, which no approved plan has. */
    messageAdded: plannedEdits.end,
    /** Called after an interrupted turn: forgets pending plans, but not remembered decisions. */
    reset: () => {
      for (const { gate } of active) gate?.reset()
    }
  }
}
