/** Which answers are remembered, where, and the requests that they do not answer. */
import { expect, it } from "vitest"
import { allow, ask, deny } from "../../../src/agents/Approvals.ts"
import { type RequestedPermission, requestEventOf } from "../../../src/agents/approvals/requestEvent.ts"
import type { Match, PermissionAnswer } from "../../../src/contract/Rule.ts"
import { command, edit, permissionAsk, plan, request } from "./requests.ts"
import { allowedBy, approver, deniedBy, requested } from "./rulings.ts"

/** How the second is ruled on after the first was answered. */
const ruledAfter = (answer: PermissionAnswer, first: ReturnType<typeof request>, second = first) => {
  const one = approver([ask()])
  one.conclude(first, answer)
  return one.consider({ ...second, requestId: "r2" })
}
const always = { decision: "allow", remember: true } as const

it("keeps nothing unless told", () => {
  expect(ruledAfter({ decision: "allow" }, command("ls"))).toEqual(requested)
  expect(ruledAfter({ decision: "allow", remember: false }, command("ls"))).toEqual(requested)
})

const other = (raw: ReturnType<typeof request>) => ({ ...raw, toolName: "Other" })
const input = (value: unknown) => request({ toolName: "mcp__x", kind: "mcp", input: value })
it.each<[string, ReturnType<typeof request>, ReturnType<typeof request>, boolean]>([
  ["the same command", command("ls"), command("ls"), true],
  ["the same command under another id", command("ls"), { ...command("ls"), requestId: "r9", toolId: "t9" }, true],
  ["another command", command("ls"), command("ls -l"), false],
  ["the same command of another tool", command("ls"), other(command("ls")), false],
  ["the same paths in another order", edit("/a", "/b"), edit("/b", "/a"), false],
  ["fewer paths", edit("/a", "/b"), edit("/a"), false],
  ["the same paths of another tool", edit("/a"), other(edit("/a")), false],
  ["the same input", input({ a: 1, b: [{ c: 2, d: 3 }] }), input({ b: [{ d: 3, c: 2 }], a: 1 }), true],
  ["another input", input({ a: 1 }), input({ a: 2 }), false],
  ["an input in another order", input([1, 2]), input([2, 1]), false],
  ["a plan by its text", plan("a"), plan("a"), true],
  ["another plan in the same file", { ...plan("a"), paths: ["/p"] }, { ...plan("b"), paths: ["/p"] }, false]
])("%s", (_, first, second, isSame) => {
  expect(ruledAfter(always, first, second)).toEqual(isSame ? allowedBy("memory") : requested)
  const denial = { decision: "deny", message: "No.", remember: true } as const
  expect(ruledAfter(denial, first, second)).toEqual(isSame ? deniedBy("memory", "No.") : requested)
})

it("of another input holds for the same input alone, and gives the other", () => {
  const answer = { ...always, input: { command: "ls -l" } }
  expect(ruledAfter(answer, command("ls"))).toEqual(allowedBy("memory", { command: "ls -l" }))
  expect(ruledAfter(answer, command("ls"), { ...command("ls"), input: 1 })).toEqual(requested)
})

const nested = (depth: number) =>
  Array.from({ length: depth }).reduce<Readonly<Record<string, unknown>>>((inner) => ({ inner }), { a: 1 })

it.each([
  [100, "exact", allowedBy("memory")],
  [100_000, undefined, requested]
])("of an input nested %i deep says so only where it is kept", (depth, remembered, ruling) => {
  const one = approver([ask()])
  const deep = input(nested(depth))
  expect(one.conclude(deep, always).remembered).toBe(remembered)
  expect(one.consider({ ...deep, requestId: "r2" })).toEqual(ruling)
})

const offering = (text: string, match: Match = { commands: ["git *"] }) =>
  requestEventOf(
    permissionAsk({
      command: text,
      input: { command: text },
      offers: [{ label: "git", covers: "All of git.", match }]
    }),
    "/w"
  )

const ruledAfterOffer = (answer: PermissionAnswer, first: RequestedPermission, second = command("git pull")) => {
  const one = approver([ask()])
  one.conclude(first.request, answer, { grants: first.grants })
  return one.consider(second)
}

it("of a wider scope covers what the request offered, in its mode", () => {
  const answer = { decision: "allow", remember: "wider-1" } as const
  const first = offering("git status")
  expect(first.request.scopes.map(({ id }) => id)).toEqual(["exact", "wider-1"])
  expect(ruledAfterOffer(answer, first)).toEqual(allowedBy("memory"))
  expect(ruledAfterOffer(answer, first, command("git pull; rm x"))).toEqual(requested)
  expect(ruledAfterOffer(answer, first, { ...command("git pull"), escalated: true })).toEqual(requested)
  expect(ruledAfterOffer(always, first)).toEqual(requested)
  const denial = { ...answer, decision: "deny" } as const
  expect(ruledAfterOffer(denial, first, command("ls; git pull"))).toEqual(deniedBy("memory"))
})

it("offers nothing that does not cover the request itself", () => {
  expect(offering("git status; ls").request.scopes).toHaveLength(1)
  expect(offering("git status", { commands: ["ls *"] }).request.scopes).toHaveLength(1)
})

it("what disagrees is denied", () => {
  const one = approver([ask()])
  one.conclude(command("git push"), { decision: "deny", remember: true })
  const { request: status, grants } = offering("git status")
  one.conclude(status, { decision: "allow", remember: "wider-1" }, { grants })
  expect(one.consider(command("git pull"))).toEqual(allowedBy("memory"))
  expect(one.consider(command("git push"))).toEqual(deniedBy("memory"))
})

it("of the same, the last answer counts", () => {
  const one = approver([ask()])
  one.conclude(command("ls"), { decision: "deny", remember: true })
  one.conclude(command("ls"), always)
  expect(one.consider(command("ls"))).toEqual(allowedBy("memory"))
})

it("belongs to the place of the rule that asked", () => {
  const push = deny({ commands: ["git push"] })
  const one = approver([push, ask()])
  one.conclude(command("git push"), always)
  expect(one.consider(command("git push"))).toEqual(deniedBy("rule"))
  const two = approver([ask(undefined, { match: { commands: ["git *"] } }), allow(), ask()])
  two.conclude(command("git pull"), { decision: "deny", remember: true })
  expect(two.consider(command("git pull"))).toEqual(deniedBy("memory"))
  expect(two.consider(command("ls"))).toEqual(allowedBy("rule"))
})

it("stays when a turn is interrupted", () => {
  const one = approver([ask()])
  one.conclude(command("ls"), always)
  one.reset()
  expect(one.consider(command("ls"))).toEqual(allowedBy("memory"))
})

it("forgets one at a time, and first what is not used", () => {
  const one = approver([ask()])
  for (let index = 0; index < 10_001; index++) {
    one.conclude(command(`c${index}`), always)
    if (index === 5000) expect(one.consider(command("c0"))).toEqual(allowedBy("memory"))
  }
  const known = [0, 1, 2, 3, 10_000].map((index) => one.consider(command(`c${index}`))._tag)
  expect(known).toEqual(["Decided", "Ask", "Decided", "Decided", "Decided"])
})

it("has no place for what cannot be told apart", () => {
  const round: Record<string, unknown> = {}
  round["self"] = round
  expect(ruledAfter(always, input(round))).toEqual(requested)
  expect(ruledAfter(always, input(1n))).toEqual(requested)
})
