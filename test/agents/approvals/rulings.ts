/** An approver by a clock of the test, and rulings to compare with. */
import { expect } from "vitest"
import { makeApprover } from "../../../src/agents/approvals/approver.ts"
import type { ApprovalRule } from "../../../src/contract/Rule.ts"
import { workingDirectory } from "./requests.ts"

export const approver = (rules: ReadonlyArray<ApprovalRule>, clock = { nowMs: 0, textLength: 0 }) =>
  makeApprover(rules, { workingDirectory, now: () => clock.nowMs, textLength: () => clock.textLength, turn: () => 1 })

export const allowedBy = (by: "rule" | "memory", input?: unknown) => ({
  _tag: "Decided",
  by,
  decision: { decision: "allow", ...(input === undefined ? {} : { input }) }
})
export const deniedBy = (by: "rule" | "memory", message: unknown = expect.any(String)) => ({
  _tag: "Decided",
  by,
  decision: expect.objectContaining({ decision: "deny", message })
})
export const requested: unknown = expect.objectContaining({ _tag: "Ask" })
