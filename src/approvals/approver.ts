/**
 * The rules of a session at work: what is decided at once, and who is asked for the rest. Plain state; it waits for
 * nobody and knows no clock but the one it is given.
 */
import { Duration } from "effect"
import type { Decision } from "../contract/Ask.ts"
import {
  type ApprovalRule,
  defaultDeadline,
  type Match,
  type PermissionHandler,
  type PlanAnswer,
  type PlanHandler
} from "../contract/Rule.ts"
import type { PermissionRequestEvent } from "../contract/SessionEvent.ts"
import { fits } from "./matching.ts"
import { type Memory, makeMemory } from "./memory.ts"
import { makePlanGate, type PlanGate, visibleLength } from "./planGate.ts"
import { exactScope } from "./scopes.ts"

export interface Asking {
  readonly _tag: "Ask"
  /** Without one, the caller answers. */
  readonly handler?: PermissionHandler | PlanHandler
  /** How long an answer is waited for; may be infinite. */
  readonly waitMs: number
  /** What is decided when that is over, or when the handler fails. */
  readonly otherwise: "allow" | "deny"
}

export type Ruling = { readonly _tag: "Decided"; readonly decision: Decision; readonly by: "rule" | "memory" } | Asking

export type Denial = Extract<Decision, { decision: "deny" }>

export interface Approver {
  readonly consider: (request: PermissionRequestEvent) => Ruling
  /** Why a rule denies this; undefined where a rule before it is about the request, or none denies it. */
  readonly forbids: (request: PermissionRequestEvent) => Denial | undefined
  /**
   * Once for each request that was asked, and was not withdrawn. `grants`: what its wider scopes cover. `bareMessage`:
   * what the agent is told of a denial without a message.
   */
  readonly conclude: (request: PermissionRequestEvent, answer: PlanAnswer, context?: AnswerContext) => Concluded
  /** After a turn that was interrupted: no plan waits any more. What is remembered stays. */
  readonly reset: () => void
}

export interface AnswerContext {
  readonly grants?: ReadonlyMap<string, Match>
  readonly bareMessage?: string
}

export interface Concluded {
  readonly decision: Decision
  /** The scope for which it is remembered. */
  readonly remembered?: string
}

export interface ApproverContext {
  /** Absolute. */
  readonly workingDirectory: string
  /** Milliseconds. */
  readonly now: () => number
  /** Visible characters that the main thread has written so far. */
  readonly textLength: () => number
}

const unmatched = "No rule allows this."
const forbidden = "A rule forbids this. Do not try to reach it in another way."
const denied = "This was denied."

const deny = (message: string): Denial => ({ decision: "deny", message })
const decided = (decision: Decision, by: "rule" | "memory"): Ruling => ({ _tag: "Decided", decision, by })

/** A rule and what it knows of the session. */
interface Place {
  /** Of a rule that asks. */
  readonly memory?: Memory
  /** Of a rule that denies. */
  readonly denial?: Denial
  readonly gate?: PlanGate
  readonly isAbout: (request: PermissionRequestEvent) => boolean
  readonly consider: (request: PermissionRequestEvent) => Ruling
}

type Of<Tag extends ApprovalRule["_tag"]> = Extract<ApprovalRule, { readonly _tag: Tag }>

const asking = (rule: Of<"Ask" | "Plan">, otherwise: Asking["otherwise"]): Asking => ({
  _tag: "Ask",
  ...(rule.handler === undefined ? {} : { handler: rule.handler }),
  waitMs: Duration.toMillis(rule.options.deadline ?? defaultDeadline),
  otherwise
})

const settledPlace = (rule: Of<"Allow" | "Deny">, { workingDirectory }: ApproverContext): Place => {
  const isDenial = rule._tag === "Deny"
  const denial = isDenial ? deny(rule.message ?? forbidden) : undefined
  const ruling = decided(denial ?? { decision: "allow" }, "rule")
  return {
    ...(denial === undefined ? {} : { denial }),
    isAbout: (request) => fits(rule.match, request, isDenial ? "deny" : "allow", workingDirectory),
    consider: () => ruling
  }
}

const askPlace = (rule: Of<"Ask">, { workingDirectory }: ApproverContext): Place => {
  const { match = {}, otherwise } = rule.options
  const denies = asking(rule, "deny")
  const allows = asking(rule, "allow")
  // Silence allows only what a rule that allows would.
  const isAllowed = (request: PermissionRequestEvent) =>
    otherwise === "allow" && fits(match, request, "allow", workingDirectory)
  return {
    memory: makeMemory(workingDirectory),
    isAbout: (request) => fits(match, request, "deny", workingDirectory),
    consider: (request) => (isAllowed(request) ? allows : denies)
  }
}

const planPlace = (rule: Of<"Plan">, { workingDirectory, now, textLength }: ApproverContext): Place => {
  const denies = asking(rule, "deny")
  const gate = makePlanGate(rule.options)
  return {
    memory: makeMemory(workingDirectory),
    gate,
    isAbout: (request) => request.kind === "plan",
    consider: (request) => {
      const planLength = visibleLength(request.plan ?? "")
      const decision = gate.attempt({ nowMs: now(), planLength, textLength: textLength() })
      return decision === undefined ? denies : decided(decision, "rule")
    }
  }
}

const placeOf = (rule: ApprovalRule, context: ApproverContext): Place => {
  if (rule._tag === "Ask") return askPlace(rule, context)
  if (rule._tag === "Plan") return planPlace(rule, context)
  return settledPlace(rule, context)
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

/** The scope of the request for which the answer is to be remembered. */
const scopeOf = ({ scopes }: PermissionRequestEvent, answer: PlanAnswer): string | undefined => {
  const wanted = answer.decision === "outline" ? undefined : answer.remember
  const id = wanted === true ? exactScope : wanted
  return scopes.find((scope) => scope.id === id)?.id
}

export const makeApprover = (rules: ReadonlyArray<ApprovalRule>, context: ApproverContext): Approver => {
  const places = rules.map((rule) => placeOf(rule, context))
  const { outlineMessage } = makePlanGate({})

  return {
    consider: (request) => {
      for (const place of places) {
        const remembered = place.memory?.recall(request)
        if (remembered !== undefined) return decided(remembered, "memory")
        if (place.isAbout(request)) return place.consider(request)
      }
      return decided(deny(unmatched), "rule")
    },
    forbids: (request) => places.find(({ isAbout }) => isAbout(request))?.denial,
    conclude: (request, answer, { grants, bareMessage = denied } = {}) => {
      const place = places.find(({ isAbout }) => isAbout(request))
      const decision = decisionOf(answer, place?.gate?.outlineMessage ?? outlineMessage, bareMessage)
      place?.gate?.decided(answer.decision, { nowMs: context.now(), textLength: context.textLength() })
      const remembered = scopeOf(request, answer)
      if (remembered === undefined || place?.memory === undefined) return { decision }
      const isKept = place.memory.remember(request, remembered, decision, grants?.get(remembered))
      return isKept ? { decision, remembered } : { decision }
    },
    reset: () => {
      for (const { gate } of places) gate?.reset()
    }
  }
}
