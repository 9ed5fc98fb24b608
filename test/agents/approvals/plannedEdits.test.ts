/** A plan that is approved with its edits: which requests are allowed by that, in which turn, and under which rules. */
import { expect, it } from "vitest"
import { ask, deny, plan as planRule } from "../../../src/agents/Approvals.ts"
import { makeApprover } from "../../../src/agents/approvals/approver.ts"
import { requestEventOf } from "../../../src/agents/approvals/requestEvent.ts"
import type { ApprovalRule, PermissionAsk, PlanAnswer } from "../../../src/contract/Rule.ts"
import { command, edit, permissionAsk, request as requestOf, workingDirectory } from "./requests.ts"
import { allowedBy, deniedBy, requested } from "./rulings.ts"

const tools = ["Edit", "Write", "NotebookEdit"]

const planOf = (more: Partial<PermissionAsk> = {}) => {
  const facts = {
    toolName: "ExitPlanMode",
    kind: "plan",
    plan: "1. Do it.",
    requestId: "p1",
    plannedEdits: tools
  } as const
  return requestEventOf(permissionAsk({ ...facts, input: { plan: "1. Do it." }, ...more }), workingDirectory)
}

const withEdits = { decision: "allow", remember: "edits" } as const

const open = (rules: ReadonlyArray<ApprovalRule> = [planRule(), ask()]) => {
  const now: { turn: number | undefined } = { turn: 1 }
  const context = { workingDirectory, now: () => 0, textLength: () => 0, turn: () => now.turn }
  const approver = makeApprover(rules, context)
  /** A plan is asked about and answered. */
  const approve = (answer: PlanAnswer = withEdits, more: Partial<PermissionAsk> = {}) => {
    const { request, grants } = planOf(more)
    approver.consider(request)
    return approver.conclude(request, answer, { grants })
  }
  return { ...approver, now, approve }
}

const inside = edit("src/a.ts")

it("has a scope for it, which says what it covers", () => {
  const { request, grants } = planOf()
  expect(request.scopes.map(({ id }) => id)).toEqual(["exact", "edits"])
  expect(request.scopes[1]?.covers).toMatch(
    /^This plan, and changes of files in the working directory until the turn ends/
  )
  expect(request).not.toHaveProperty("plannedEdits")
  expect(grants.get("edits")).toMatchObject({ tools })
})

it.each<[string, Partial<PermissionAsk>]>([
  ["of a CLI that does not tell its edits", { plannedEdits: [] }],
  ["of a sub-agent", { parentToolId: "t9" }],
  ["outside of the sandbox", { escalated: true }],
  ["that is not in its request", { isIncomplete: true }],
  ["with another kind", { kind: "other" }]
])("no plan %s has it", (_, more) => {
  const { request, grants } = planOf(more)
  expect(request.scopes.map(({ id }) => id)).not.toContain("edits")
  expect(grants.has("edits")).toBe(false)
  const one = open()
  expect(one.approve(withEdits, more)).toEqual({ decision: { decision: "allow" } })
  expect(one.consider(inside)).toEqual(requested)
})

it.each<[string, Partial<PermissionAsk>]>([
  ["an edit", {}],
  ["an edit of a sub-agent", { parentToolId: "t9" }],
  ["a new file", { toolName: "Write", edits: [{ path: "src/b.ts", after: "x" }], paths: ["src/b.ts"] }],
  ["a notebook, by its path alone", { toolName: "NotebookEdit", edits: [], paths: ["a.ipynb"] }]
])("%s in the working directory is allowed", (_, more) => {
  const one = open()
  expect(one.approve()).toEqual({ decision: { decision: "allow" }, remembered: "edits" })
  const facts = {
    toolName: "Edit",
    kind: "file_change",
    paths: ["src/a.ts"],
    edits: [{ path: "src/a.ts", after: "x" }]
  } as const
  expect(one.consider(requestOf({ ...facts, ...more }))).toEqual(allowedBy("memory"))
})

const change = (...paths: ReadonlyArray<string>) => ({ toolName: "Edit", kind: "file_change", paths }) as const

it.each<[string, Partial<PermissionAsk>]>([
  ["a command", { kind: "command", command: "npm test" }],
  ["a command that would write", { kind: "command", command: "echo x > a.ts", paths: ["a.ts"] }],
  ["a tool of a server", { kind: "mcp", toolName: "mcp__x__edit", paths: ["a.ts"] }],
  ["a tool that only says that it edits", { ...change("a.ts"), toolName: "mcp__x__Edit" }],
  ["a tool whose name begins like an edit", { ...change("a.ts"), toolName: "EditAll" }],
  ["an edit that reads", { ...change("a.ts"), kind: "read" }],
  ["a path outside", change("/etc/hosts")],
  ["a path above", change("../other/a.ts")],
  ["a way out", change("src/../../other/a.ts")],
  ["a neighbour whose name begins the same", change("/w/project2/a.ts")],
  ["the directory itself", change(".")],
  ["one of two paths outside", change("a.ts", "/etc/hosts")],
  ["a path that leads outside by a link", { ...change("a.ts", "/home/me/a.ts") }],
  ["no path", change()],
  ["a hidden file", change(".env")],
  ["a file in a hidden directory", change("src/.git/hooks/pre-commit")],
  ["a null in a path", change("a\0.ts")],
  ["an edit for a reason", { ...change("a.ts"), reason: "a sensitive file" }],
  ["an edit outside of the sandbox", { ...change("a.ts"), escalated: true }],
  ["a doubtful edit", { ...change("a.ts"), doubt: "it differs" }],
  ["another plan", { kind: "plan", plan: "2. Do more.", toolName: "ExitPlanMode" }]
])("%s is still asked about", (_, more) => {
  const one = open()
  one.approve()
  expect(one.consider(requestOf(more))).toEqual(requested)
})

it.each<[string, PlanAnswer]>([
  ["an approval alone", { decision: "allow" }],
  ["an approval of exactly this plan", { decision: "allow", remember: true }],
  ["a denial", { decision: "deny", remember: "edits" }],
  ["a wish for an outline", { decision: "outline" }],
  ["an approval of another input", { ...withEdits, input: { plan: "3. Other." } }]
])("%s allows no edit", (_, answer) => {
  const one = open()
  expect(one.approve(answer).remembered).not.toBe("edits")
  expect(one.consider(inside)).toEqual(requested)
})

it.each<[string, (one: ReturnType<typeof open>) => void]>([
  ["the next turn", (one) => (one.now.turn = 2)],
  ["the time between turns", (one) => (one.now.turn = undefined)],
  ["a further message", (one) => one.messageAdded()],
  ["another plan, while it waits", (one) => one.consider(planOf({ requestId: "p2" }).request)],
  ["another plan that was denied", (one) => one.approve({ decision: "deny" }, { requestId: "p2" })],
  ["another plan that was approved alone", (one) => one.approve({ decision: "allow" }, { requestId: "p2" })]
])("ends with %s", (_, end) => {
  const one = open()
  one.approve()
  expect(one.consider(inside)).toEqual(allowedBy("memory"))
  end(one)
  expect(one.consider(inside)).toEqual(requested)
})

it.each<[string, (one: ReturnType<typeof open>) => void]>([
  ["in the next turn", (one) => (one.now.turn = 2)],
  ["between turns", (one) => (one.now.turn = undefined)],
  ["after another plan", (one) => one.consider(planOf({ requestId: "p2" }).request)]
])("does not begin where the answer comes late: %s", (_, meanwhile) => {
  const one = open()
  const { request, grants } = planOf()
  one.consider(request)
  meanwhile(one)
  expect(one.conclude(request, withEdits, { grants })).toEqual({ decision: { decision: "allow" } })
  expect(one.consider(inside)).toEqual(requested)
})

it("does not begin without a turn", () => {
  const one = open()
  one.now.turn = undefined
  expect(one.approve()).toEqual({ decision: { decision: "allow" } })
  expect(one.consider(inside)).toEqual(requested)
})

it("is for the rules that ask about all, and the one that asked about the plan", () => {
  const own = ask(undefined, { match: { kinds: ["plan", "file_change"] } })
  for (const rules of [[ask()], [own], [own, ask()]]) {
    const one = open(rules)
    one.approve()
    expect(one.consider(inside)).toEqual(allowedBy("memory"))
  }
})

it("changes nothing about rules that decide, and those that ask about something of their own", () => {
  const rules = [planRule(), ask(undefined, { match: { paths: ["infra/**"] } }), ask()]
  const one = open(rules)
  one.approve()
  expect(one.consider(edit("infra/a.tf"))).toEqual(requested)
  expect(one.consider(edit("a.ts", "infra/a.tf"))).toEqual(requested)
  const denying = open([planRule(), deny({ paths: ["src/**"] }, "Not these."), ask()])
  denying.approve()
  expect(denying.consider(inside)).toEqual(deniedBy("rule", "Not these."))
  expect(denying.consider(edit("a.ts"))).toEqual(allowedBy("memory"))
  const without = open([planRule()])
  without.approve()
  expect(without.consider(inside)).toEqual(deniedBy("rule"))
})

it("does not override an edit that was denied for good", () => {
  const one = open()
  one.conclude(inside, { decision: "deny", message: "Never.", remember: true })
  one.approve()
  expect(one.consider(inside)).toEqual(deniedBy("memory", "Never."))
  expect(one.consider(command("ls"))).toEqual(requested)
})
