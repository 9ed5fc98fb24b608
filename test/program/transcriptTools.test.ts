/** The lines of tools: ending in any order, cut to the width of the line, and under a sub-agent. */
import { describe, expect, it } from "vitest"
import type { AgentEvent } from "../../src/contract/AgentEvent.ts"
import { begin } from "../../src/program/blocks.ts"
import { draw } from "../../src/program/transcript.ts"
import { bare, done, live, result, session, text, transcriptOf, use, withNames } from "./transcriptEvents.ts"

describe("tools", () => {
  it("end in any order; one that failed shows the first lines of its output", () => {
    const output = "line 1\n\nline 2\nline 3\nline 4\nline 5\nline 6\nline 7"
    const events = [
      use("a", "Bash", "make"),
      use("b", "Read", "/w/src/a.ts"),
      result("b", "…"),
      result("a", output, true)
    ]
    expect(transcriptOf([session, ...events])).toBe(
      [
        "● claude 2.1 · opus · session s1",
        "",
        "✓ Read  src/a.ts  1.0 s",
        "✗ Bash  make  3.0 s",
        "  line 1",
        "  line 2",
        "  line 3",
        "  line 4",
        "  line 5",
        "  … 2 more lines",
        ""
      ].join("\n")
    )
  })

  it.each([
    ["caller", "1.0 s · waited 47 s for you"],
    ["rule", "48 s"]
  ] as const)("take no time while a person is waited for: decided by a %s", (by, time) => {
    const asked: AgentEvent = {
      type: "permission_request",
      requestId: "r",
      toolName: "Edit",
      toolId: "a",
      kind: "file_change",
      input: {},
      title: "a.ts",
      escalated: false,
      scopes: []
    }
    const decided: AgentEvent = { type: "permission_decision", requestId: "r", decision: "allow", by }
    let transcript = begin("claude", 0)
    let text = ""
    const steps = [
      [use("a", "Edit", "a.ts"), 0],
      [asked, 0],
      [decided, 47_000],
      [result("a", ""), 48_000]
    ] as const
    for (const [event, now] of steps) {
      const [next, more] = draw(transcript, event, { surface: live, now })
      transcript = next
      text += more
    }
    expect(bare(text)).toContain(`✓ Edit  a.ts  ${time}\n`)
  })

  it("keep to their line on a terminal", () => {
    const events = [use("a", "Bash", "x".repeat(200), { kind: "command" }), result("a", "y".repeat(200))]
    const [line = ""] = withNames(transcriptOf(events, live)).split("\n")
    expect(line.replace(/<[^>]*>/g, "")).toMatch(/^✓ Bash {2}x{43}… {2}1\.0 s$/)
  })

  it("of a sub-agent stand indented under its name", () => {
    const events = [
      use("p", "Task", "find callers", { kind: "subagent" }),
      use("q", "Task", "find tests", { kind: "subagent" }),
      use("p1", "Grep", "foo", { kind: "search", parentToolId: "p" }),
      result("p1", "3", false, "p"),
      { type: "text", text: "Three.\n", parentToolId: "p" } as const,
      use("q1", "Glob", "*.test.ts", { kind: "search", parentToolId: "q" }),
      result("q1", "", true, "q"),
      result("p", "three"),
      result("q", "none"),
      text("Done.")
    ]
    expect(transcriptOf(events)).toBe(
      [
        "▸ Task  find callers",
        "│ ✓ Grep  foo  1.0 s",
        "│ Three.",
        "▸ Task  find tests",
        "│ ✗ Glob  *.test.ts  1.0 s",
        "✓ Task  find callers  7.0 s",
        "✓ Task  find tests  7.0 s",
        "",
        "Done."
      ].join("\n")
    )
  })

  it("that did not end are told at the end", () => {
    const aborted = {
      type: "error",
      message: "The run was aborted",
      code: "aborted",
      category: "aborted",
      retryable: false
    }
    const events = [
      use("a", "Bash", "sleep 100"),
      aborted as AgentEvent,
      done({ outcome: "aborted", reason: "aborted" })
    ]
    expect(transcriptOf(events)).toMatch(/^■ Bash {2}sleep 100 {2}not ended after 1\.0 s\n\n■ aborted · 2 turns/)
  })
})
