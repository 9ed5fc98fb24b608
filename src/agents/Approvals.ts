/**
 * Rules for permission requests, tried in order. The first that matches decides; a request that none matches is denied.
 * Rules are plain values: `[...mine, Approvals.allow({ kinds: ["read"] })]` composes.
 */
import type { ApprovalRule, AskOptions, Match, PermissionHandler, PlanHandler, PlanOptions } from "../contract/Rule.ts"

export type * from "../contract/Rule.ts"

/** Allows matching requests. Default: all that are not escalated. */
export const allow = (match: Match = {}): ApprovalRule => ({ _tag: "Allow", match })

/** Denies matching requests, by default all. `message` is for the model; by default it says that a rule forbids this. */
export const deny = (match: Match = {}, message?: string): ApprovalRule => ({
  _tag: "Deny",
  match,
  ...(message === undefined ? {} : { message })
})

/**
 * Asks a handler; without one, the caller decides (`session.decide`). If the handler fails or gives no answer,
 * `options.otherwise` counts.
 */
export const ask = (handler?: PermissionHandler, options: AskOptions = {}): ApprovalRule => ({
  _tag: "Ask",
  ...(handler === undefined ? {} : { handler }),
  options
})

/** For requests of kind `plan`, with which the agent asks to leave plan mode and carry out its plan. */
export const plan = (handler?: PlanHandler, options: PlanOptions = {}): ApprovalRule => ({
  _tag: "Plan",
  ...(handler === undefined ? {} : { handler }),
  options
})
