/**
 * Who decides what an agent asks for: rules, tried in order. The first that matches decides, and what none matches is
 * denied. Rules are plain values: `[...mine, Approvals.allow({ kinds: ["read"] })]` composes.
 */
import type { ApprovalRule, AskOptions, Match, PermissionHandler, PlanHandler, PlanOptions } from "./contract/Rule.ts"

export * from "./contract/Rule.ts"

export const allow = (match: Match = {}): ApprovalRule => ({ _tag: "Allow", match })

/** The message is for the model. Default: that a rule forbids this. */
export const deny = (match: Match = {}, message?: string): ApprovalRule => ({
  _tag: "Deny",
  match,
  ...(message === undefined ? {} : { message })
})

/**
 * Asks a function of the host; without one, the caller decides (`session.decide`). A function that fails, or gives no
 * answer, decides `otherwise`.
 */
export const ask = (handler?: PermissionHandler, options: AskOptions = {}): ApprovalRule => ({
  _tag: "Ask",
  ...(handler === undefined ? {} : { handler }),
  options
})

/** For requests of the kind `plan`: the agent wants to leave plan mode and carry its plan out. */
export const plan = (handler?: PlanHandler, options: PlanOptions = {}): ApprovalRule => ({
  _tag: "Plan",
  ...(handler === undefined ? {} : { handler }),
  options
})
