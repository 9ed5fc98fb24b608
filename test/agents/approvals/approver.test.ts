/** The rules at work: their order, who is asked, and what an answer becomes. */
import { describe, expect, it } from "vitest"
import * as Approvals from "../../../src/agents/Approvals.ts"
import { command, edit } from "./requests.ts"
import { allowedBy, approver, deniedBy, requested } from "./rulings.ts"

const { allow, ask, deny } = Approvals

describe("the first that matches decides", () => {
  const rules = [
    deny({ commands: ["git push*"] }, "Pushing is mine."),
    deny({ commands: ["rm *"] }),
    allow({ commands: ["git *"] }),
    ask(undefined, { match: { kinds: ["command"] } })
  ]
  it.each([
    ["git status", allowedBy("rule")],
    ["git push", deniedBy("rule", "Pushing is mine.")],
    ["git status; git push", deniedBy("rule", "Pushing is mine.")],
    ["git status; rm x", deniedBy("rule", expect.stringContaining("rule"))],
    ["git status; ls", requested],
    ["ls", requested]
  ])("%s", (text, expected) => expect(approver(rules).consider(command(text))).toEqual(expected))

  it("what none matches is denied, and says so", () => {
    expect(approver(rules).consider(edit("/w/project/a"))).toEqual(deniedBy("rule", "No rule allows this."))
    expect(approver([]).consider(command("ls"))).toEqual(deniedBy("rule", "No rule allows this."))
  })
})

describe("asking", () => {
  const handler = () => ({ decision: "allow" }) as const
  it("without options", () =>
    expect(approver([ask()]).consider(command("ls"))).toEqual({
      _tag: "Ask",
      waitMs: 300_000,
      otherwise: "deny"
    }))
  it("with a handler, a deadline and otherwise", () => {
    const ruling = (options: Approvals.AskOptions) => approver([ask(handler, options)]).consider(command("ls; rm"))
    expect(ruling({ deadline: "2 minutes" })).toMatchObject({ handler, waitMs: 120_000 })
    expect(ruling({ deadline: "Infinity" })).toMatchObject({ waitMs: Number.POSITIVE_INFINITY })
    expect(ruling({ otherwise: "allow" })).toMatchObject({ otherwise: "allow" })
    expect(ruling({ otherwise: "allow", match: { commands: ["ls"] } })).toMatchObject({ otherwise: "deny" })
  })
  it("with an invalid deadline fails where the rules are passed", () => {
    // Values that plain JavaScript may pass.
    const deadline = "soon" as "1 second"
    expect(() => approver([ask(undefined, { deadline })])).toThrow()
  })
  it("one path or command is enough", () => {
    const match = { paths: ["src/**"] }
    expect(approver([ask(undefined, { match })]).consider(edit("/etc/passwd", "src/a"))).toEqual(requested)
  })
})

describe("an answer becomes a decision", () => {
  const conclude = (answer: Approvals.PlanAnswer) => approver([ask()]).conclude(command("ls"), answer)
  it.each<[Approvals.PlanAnswer, unknown]>([
    [{ decision: "allow" }, { decision: "allow" }],
    [
      { decision: "allow", input: { command: "ls -l" } },
      { decision: "allow", input: { command: "ls -l" } }
    ],
    [{ decision: "deny" }, { decision: "deny", message: "This was denied.", isBare: true }],
    [
      { decision: "deny", message: "No.", interrupt: true },
      { decision: "deny", message: "No.", interrupt: true }
    ],
    [{ decision: "outline" }, { decision: "deny", message: expect.stringContaining("describe the plan") }]
  ])("%j", (answer, expected) => expect(conclude(answer)).toEqual({ decision: expected }))
})

it.each<[string, ReadonlyArray<Approvals.ApprovalRule>, string | undefined]>([
  ["nothing without rules", [], undefined],
  ["what a rule denies", [Approvals.deny({ commands: ["rm *"] }, "Keep it.")], "Keep it."],
  ["not what a rule before it allows", [Approvals.allow({ kinds: ["command"] }), Approvals.deny()], undefined],
  ["not what a rule before it asks about", [Approvals.ask(), Approvals.deny()], undefined],
  ["not what it is not about", [Approvals.deny({ commands: ["git *"] })], undefined]
])("forbids unasked %s", (_, rules, message) =>
  expect(approver(rules).forbids(command("rm -r x"))?.message).toBe(message)
)
