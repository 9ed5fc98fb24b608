/** What is remembered of an answer, where, and what it is no answer to. */
import { expect, it } from "vitest"
import type { PermissionAnswer } from "../../src/Approvals.ts"
import { allow, ask, deny } from "../../src/Approvals.ts"
import { command, edit, plan, request } from "./requests.ts"
import { allowedBy, approver, asked, deniedBy } from "./rulings.ts"

/** How the second is ruled on after the first was answered. */
const ruledAfter = (answer: PermissionAnswer, first: ReturnType<typeof request>, second = first) => {
  const one = approver([ask()])
  one.conclude(first, answer)
  return one.consider({ ...second, requestId: "r2" })
}
const always = { decision: "allow", remember: true } as const

it("keeps nothing unless told", () => {
  expect(ruledAfter({ decision: "allow" }, command("ls"))).toEqual(asked)
  expect(ruledAfter({ decision: "allow", remember: false }, command("ls"))).toEqual(asked)
})

const other = (given: ReturnType<typeof request>) => ({ ...given, toolName: "Other" })
const input = (value: unknown) => request({ toolName: "mcp__x", kind: "mcp", input: value })
it.each<[string, ReturnType<typeof request>, ReturnType<typeof request>, boolean]>([
  ["the same command", command("ls"), { ...command("ls"), input: { command: "ls", description: "x" } }, true],
  ["another command", command("ls"), command("ls -l"), false],
  [
    "the same command out of the sandbox",
    command("ls"),
    { ...command("ls"), input: { command: "ls", open: true } },
    false
  ],
  ["the same command of another tool", command("ls"), other(command("ls")), false],
  ["the same paths", edit("/a", "/b"), { ...edit("/b", "/a"), input: "other" }, true],
  ["fewer paths", edit("/a", "/b"), edit("/a"), false],
  ["the same paths of another tool", edit("/a"), other(edit("/a")), false],
  ["the same input", input({ a: 1, b: [{ c: 2, d: 3 }] }), input({ b: [{ d: 3, c: 2 }], a: 1 }), true],
  ["another input", input({ a: 1 }), input({ a: 2 }), false],
  ["an input in another order", input([1, 2]), input([2, 1]), false],
  ["a plan by its text", plan("a"), plan("a"), true],
  ["another plan in the same file", { ...plan("a"), paths: ["/p"] }, { ...plan("b"), paths: ["/p"] }, false]
])("%s", (_, first, second, isSame) => {
  expect(ruledAfter(always, first, second)).toEqual(isSame ? allowedBy("memory") : asked)
  const denial = { decision: "deny", message: "No.", remember: true } as const
  expect(ruledAfter(denial, first, second)).toEqual(isSame ? deniedBy("memory", "No.") : asked)
})

it("of another input holds for the same input alone, and gives the other", () => {
  const answer = { ...always, input: { command: "ls -l" } }
  expect(ruledAfter(answer, command("ls"))).toEqual(allowedBy("memory", { command: "ls -l" }))
  expect(ruledAfter(answer, command("ls"), { ...command("ls"), input: 1 })).toEqual(asked)
  expect(ruledAfter({ ...answer, remember: {} }, command("ls"), command("rm"))).toEqual(asked)
})

it("of a match, in its mode", () => {
  const answer = { decision: "allow", remember: { commands: ["git *"] } } as const
  expect(ruledAfter(answer, command("git status"), command("git pull"))).toEqual(allowedBy("memory"))
  expect(ruledAfter(answer, command("git status"), command("git pull; rm x"))).toEqual(asked)
  const denial = { ...answer, decision: "deny" } as const
  expect(ruledAfter(denial, command("git status"), command("ls; git pull"))).toEqual(deniedBy("memory"))
})

it("what disagrees is denied", () => {
  const one = approver([ask()])
  one.conclude(command("git push"), { decision: "deny", remember: true })
  one.conclude(command("git status"), { decision: "allow", remember: { commands: ["git *"] } })
  expect(one.consider(command("git pull"))).toEqual(allowedBy("memory"))
  expect(one.consider(command("git push"))).toEqual(deniedBy("memory"))
  one.conclude(command("ls"), always)
  one.conclude(edit("/a"), { decision: "deny", remember: {} })
  expect(one.consider(command("ls"))).toEqual(deniedBy("memory"))
})

it("of the same, the last answer counts", () => {
  const one = approver([ask()])
  one.conclude(command("ls"), { decision: "deny", remember: true })
  one.conclude(command("ls"), always)
  expect(one.consider(command("ls"))).toEqual(allowedBy("memory"))
})

it("belongs to the place of the rule that asked", () => {
  const push = deny({ commands: ["git push"] })
  const one = approver([push, ask(undefined, { match: { commands: ["git *"] } }), allow(), ask()])
  one.conclude(command("git pull"), { decision: "deny", remember: { tools: ["*"] } })
  expect(one.consider(command("ls"))).toEqual(deniedBy("memory"))
  const two = approver([push, ask()])
  two.conclude(command("git pull"), { decision: "allow", remember: {} })
  expect(two.consider(command("git push"))).toEqual(deniedBy("rule"))
  const three = approver([allow({ kinds: ["read"] }), ask()])
  three.conclude(command("ls"), { decision: "deny", remember: {} })
  expect(three.consider(request({ kind: "read" }))).toEqual(allowedBy("rule"))
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
  expect(ruledAfter(always, input(round))).toEqual(asked)
  expect(ruledAfter(always, input(1n))).toEqual(asked)
})
