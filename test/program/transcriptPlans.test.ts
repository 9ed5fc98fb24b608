/** To-do lists and plans in a transcript: whole where their steps have changed, else in one line. */
import { assert, describe, it } from "vitest"
import type { AgentEvent } from "../../src/contract/AgentEvent.ts"
import type { PlanEntry } from "../../src/contract/ToolEvent.ts"
import { bare, live, plain, result, text, transcriptOf, use, withNames } from "./transcriptEvents.ts"

const list = (entries: ReadonlyArray<PlanEntry>, more: object = {}): AgentEvent => ({ type: "plan", entries, ...more })

const steps = (first: PlanEntry["status"], second: PlanEntry["status"]): ReadonlyArray<PlanEntry> => [
  { text: "read it", ...(first === undefined ? {} : { status: first }) },
  { text: "change it", ...(second === undefined ? {} : { status: second }) }
]

describe("a to-do list", () => {
  it("is shown whole, then how far it is, then whole again with other steps", () => {
    const events = [
      list(steps("in_progress", undefined)),
      list(steps("completed", "in_progress")),
      list([...steps("completed", "cancelled"), { text: "test it", status: "blocked" }])
    ]
    assert.strictEqual(
      transcriptOf(events),
      [
        "≡ plan: 0 of 2 done, now read it",
        "  ▸ read it",
        "  ○ change it",
        "≡ plan: 1 of 2 done, now change it",
        "≡ plan: 1 of 3 done",
        "  ✓ read it",
        "  ⊘ change it",
        "  ! test it",
        ""
      ].join("\n")
    )
  })

  it("takes the place of its call, unless that fails", () => {
    const call = (isError: boolean) => [
      use("t", "TodoWrite", "TodoWrite", { kind: "plan" }),
      list([], { toolId: "t" }),
      result("t", "no", isError)
    ]
    assert.strictEqual(transcriptOf(call(false), plain, null), "≡ plan: empty\n")
    assert.strictEqual(transcriptOf(call(true), plain, null), "≡ plan: empty\n✗ TodoWrite\n  no\n")
  })

  it("of a sub-agent is one line under it, and leaves the other as it was", () => {
    const events = [
      list(steps("in_progress", "pending")),
      use("p", "Task", "look", { kind: "subagent" }),
      list([{ text: "x" }], { parentToolId: "p" }),
      list(steps("completed", "pending"))
    ]
    const lines = transcriptOf(events, plain, null).split("\n").slice(3)
    assert.deepStrictEqual(lines, ["▸ look", "│ ≡ plan: 0 of 1 done", "≡ plan: 1 of 2 done", ""])
  })

  it("is bounded, and its foreign text harmless", () => {
    const entries = Array.from({ length: 40 }, (_, at) => ({ text: `\u001b[2Jstep ${at}\nmore ${"x".repeat(500)}` }))
    const lines = bare(transcriptOf([list(entries)], live))
      .trimEnd()
      .split("\n")
    assert.lengthOf(lines, 14)
    assert.strictEqual(lines.at(-1), "  … 28 more steps")
    assert.isTrue(lines.every((line) => line.length < 60 && !line.includes("\u001b")))
  })

  it("has the style of its steps on a terminal", () => {
    assert.include(withNames(transcriptOf([list(steps("completed", "in_progress"))], live)), "<dim>✓ read it</>")
  })
})

describe("a plan in prose", () => {
  it("is shown where no request shows it", () => {
    const prose: AgentEvent = { type: "plan", text: "# Plan\n1. \u001b[31mdo" }
    assert.strictEqual(transcriptOf([text("So:"), prose]), "So:\n\n# Plan\n1. \\u001b[31mdo\n")
    assert.strictEqual(transcriptOf([{ ...prose, toolId: "t" }]), "")
  })
})
