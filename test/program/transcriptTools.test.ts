/** The lines of tools: ending in any order, cut to the width of the line, and under a sub-agent. */
import { describe, expect, it } from "vitest"
import type { AgentEvent } from "../../src/contract/AgentEvent.ts"
import { begin } from "../../src/program/blocks.ts"
import { draw } from "../../src/program/transcript.ts"
import { bare, done, live, plain, result, session, text, transcriptOf, use, withNames } from "./transcriptEvents.ts"

describe("tools", () => {
  it("end in any order; one that failed shows the last lines of its output, which have the cause", () => {
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
        "✗ Run   make  3.0 s",
        "  … 2 lines above",
        "  line 3",
        "  line 4",
        "  line 5",
        "  line 6",
        "  line 7",
        ""
      ].join("\n")
    )
  })

  it.each([
    ["caller", "1.0 s · waited 47 s for you"],
    ["rule", "48 s"]
  ] as const)("take no time while a person is waited for: decided by a %s", (by, time) => {
    const request: AgentEvent = {
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
      [request, 0],
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
    expect(line.replace(/<[^>]*>/g, "")).toMatch(/^✓ Run {3}x{43}… {2}1\.0 s$/)
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
        "▸ find callers",
        "│ ✓ Search  foo  1.0 s",
        "│ Three.",
        "▸ find tests",
        "│ ✗ Search  *.test.ts  1.0 s",
        "✓ find callers  7.0 s",
        "✓ find tests  7.0 s",
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
    expect(transcriptOf(events)).toMatch(/^■ Run {3}sleep 100 {2}not ended after 1\.0 s\n\n■ aborted · 2 turns/)
  })
})

describe("what a tool is called", () => {
  const lineOf = (toolName: string, title: string, more: Partial<AgentEvent>) =>
    transcriptOf([session, use("a", toolName, title, more), result("a", "")], plain, null)
      .split("\n")
      .at(-2)

  it.each<readonly [string, string, string, Partial<AgentEvent>]>([
    ["✓ Run   npm test", "run_shell_command", "npm test", { kind: "command" }],
    ["✓ Edit  src/price.ts", "file_change", "update /w/src/price.ts", { kind: "file_change" }],
    ["✓ Write  src/new.ts", "file_change", "add /w/src/new.ts", { kind: "file_change" }],
    ["✓ Delete  src/old.ts", "file_change", "delete /w/src/old.ts", { kind: "file_change" }],
    ["✓ Write  a.ts", "write_file", "/w/a.ts", { kind: "file_change" }],
    ["✓ Read  a.ts", "read_file", "/w/a.ts", { kind: "read" }],
    ["✓ Search  gross(", "Grep", "gross(", { kind: "search" }],
    ["✓ Fetch  https://a.example", "WebFetch", "https://a.example", { kind: "web" }],
    ["✓ Find the callers", "Task", "Find the callers", { kind: "subagent" }],
    ["✓ query of db", "mcp__db__query", "db: query", { kind: "mcp" }],
    ["✓ Run   cat a.ts b.ts", "Bash", "cat /w/a.ts /w/b.ts", { kind: "command" }]
  ])("%s", (line, toolName, title, more) => {
    expect(lineOf(toolName, title, more)).toBe(line)
  })
})

describe("an edit", () => {
  const edit = (more: object) => ({ kind: "file_change", edits: [{ path: "/w/a.ts", ...more }] }) as Partial<AgentEvent>
  const visible = (more: object, isError = false) =>
    transcriptOf([session, use("a", "Edit", "/w/a.ts", edit(more)), result("a", "", isError)], plain, null).split("\n")

  it("shows what it changes, with a line around it and the numbers that are known", () => {
    const lines = visible({ before: "a\nb\nc\nd\ne", after: "a\nb\nC\nd\ne", line: 9 })
    expect(lines.slice(2, -1)).toEqual(["✓ Edit  a.ts  +1 -1", "  10   b", "  11 - c", "  11 + C", "  12   d"])
  })

  it("is folded where it is long, and the rest is counted", () => {
    const lines = visible({ after: Array.from({ length: 20 }, (_, at) => `line ${at}\n`).join("") })
    expect(lines.slice(2, 5)).toEqual(["✓ Edit  a.ts  +20 -0", "  + line 0", "  + line 1"])
    expect(lines.slice(-3, -1)).toEqual(["  + line 11", "  … 8 more lines"])
  })

  it("of many lines, or of one without an end, takes no more rows", () => {
    const many = visible({ after: "x\n".repeat(300_000), line: 1 })
    expect(many).toHaveLength(17)
    expect(many.at(-2)).toBe("  … 299988 more lines")
    const one = visible({ before: "a", after: "word ".repeat(100_000) })
    expect(one.length).toBeLessThanOrEqual(17)
    expect(one.at(-2)).toBe("  … 1 more line")
  })

  it("has no mark of the ends of its lines", () => {
    expect(visible({ before: "a\r\nb\r\n", after: "a\r\nc\r\n" }).slice(3, -1)).toEqual(["    a", "  - b", "  + c"])
  })

  it("is forgotten when its call or turn ends, and the oldest of many is", () => {
    const scene = { surface: plain, now: undefined }
    const uses = Array.from({ length: 300 }, (_, at) => use(`t${at}`, "Edit", "/w/a.ts", edit({ after: "x" })))
    const open = uses.reduce((before, event) => draw(before, event, scene)[0], begin("claude"))
    expect(open.edits.size).toBe(100)
    expect(draw(open, result("t299", ""), scene)[0].edits.size).toBe(99)
    expect(draw(open, done(), scene)[0].edits.size).toBe(0)
  })

  it("that failed shows no change", () => {
    expect(visible({ before: "a", after: "b" }, true).slice(2, -1)).toEqual(["✗ Edit  a.ts"])
  })

  it("repeats its sign on each row of a long line, and shows no hidden character as it is", () => {
    const text = transcriptOf(
      [session, use("a", "Edit", "/w/a.ts", edit({ after: `${"word ".repeat(20)}\u001b[2J` })), result("a", "")],
      live,
      null
    )
    const rows = bare(text).split("\n").slice(3, -1)
    expect(rows.length).toBeGreaterThan(1)
    expect(rows.every((row) => row.startsWith("  + "))).toBe(true)
    expect(text).not.toContain("\u001b[2J")
  })
})
