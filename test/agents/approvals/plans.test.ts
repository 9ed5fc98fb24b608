/** Plans among the rules: asked, approved, sent back, and after an interruption. */
import { expect, it } from "vitest"
import * as Approvals from "../../../src/agents/Approvals.ts"
import { makeApprover } from "../../../src/agents/approvals/approver.ts"
import { command, plan, workingDirectory } from "./requests.ts"

const approver = (rules: ReadonlyArray<Approvals.ApprovalRule>) => {
  const clock = { nowMs: 0, textLength: 0 }
  const context = { workingDirectory, now: () => clock.nowMs, textLength: () => clock.textLength, turn: () => 1 }
  return { clock, ...makeApprover(rules, context) }
}
const request = expect.objectContaining({ _tag: "Ask" })
const denied = (text: string) => ({
  _tag: "Decided",
  by: "rule",
  decision: { decision: "deny", message: expect.stringContaining(text) }
})
const allowed = { _tag: "Decided", by: "rule", decision: { decision: "allow" } }

it("a rule for plans is about nothing else", () => {
  const one = approver([Approvals.plan(undefined, { auto: true })])
  expect(one.consider(plan())).toEqual(allowed)
  expect(one.consider(command("ls"))).toEqual(denied("No rule"))
})

it("other rules may decide on plans", () => {
  expect(approver([Approvals.allow({ kinds: ["plan"] })]).consider(plan())).toEqual(allowed)
  expect(approver([Approvals.ask()]).consider(plan())).toEqual(request)
})

it("has a handler, a deadline, and is denied after it", () => {
  const handler = () => ({ decision: "outline" }) as const
  expect(approver([Approvals.plan(handler, { deadline: 5000 })]).consider(plan())).toEqual({
    _tag: "Ask",
    handler,
    waitMs: 5000,
    otherwise: "deny"
  })
})

it("an outline is owed until it is written", () => {
  const one = approver([Approvals.plan(undefined, { outlineLength: 20 })])
  one.clock.textLength = 100
  expect(one.conclude(plan(), { decision: "outline" })).toMatchObject({
    decision: { message: expect.stringContaining("20 char") }
  })
  expect(one.consider(plan("short  plan"))).toEqual(denied("20 characters"))
  one.clock.textLength = 120
  expect(one.consider(plan("short  plan"))).toEqual(request)
})

it("an outline in the request alone suffices, blanks do not", () => {
  const one = approver([Approvals.plan()])
  one.conclude(plan(), { decision: "outline" })
  expect(one.consider(plan(" ".repeat(300)))).toEqual(denied("200 characters"))
  expect(one.consider(plan("x".repeat(200)))).toEqual(request)
})

it("what was left when a turn was interrupted does not keep the next plan from being asked", () => {
  const one = approver([Approvals.plan(undefined, { cooldown: true })])
  one.conclude(plan(), { decision: "deny" })
  one.conclude(plan(), { decision: "outline" })
  expect(one.consider(plan())).toEqual(denied("30 s"))
  one.reset()
  expect(one.consider(plan())).toEqual(request)
})

it("denials are waited for longer each time, an approval ends that", () => {
  const one = approver([Approvals.plan(undefined, { cooldown: true })])
  one.conclude(plan(), { decision: "deny" })
  one.clock.nowMs = 30_000
  expect(one.consider(plan())).toEqual(request)
  one.conclude(plan(), { decision: "deny" })
  one.clock.nowMs = 60_000
  expect(one.consider(plan())).toEqual(denied("30 s"))
  one.conclude(plan(), { decision: "allow" })
  expect(one.consider(plan())).toEqual(request)
})
