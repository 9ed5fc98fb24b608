/** What a run looks like: on a terminal, where colours are written as <dim>, and piped, where everything is plain. */
import { describe, expect, it } from "vitest"
import type { AgentEvent } from "../../src/AgentEvent.ts"
import { done, live, notice, plain, result, session, text, transcriptOf, use, withNames } from "./transcriptEvents.ts"

describe("a run with a tool", () => {
  const events = [
    session,
    { type: "thinking", text: "Let me\nsee." } as const,
    text("I run "),
    text("it:"),
    use("t1", "Bash", "npm test", { kind: "command" }),
    result("t1", "42 passed\n"),
    text("All good."),
    done()
  ]

  it("piped", () => {
    expect(transcriptOf(events)).toBe(
      [
        "● claude 2.1 · opus · session s1",
        "",
        "> Let me",
        "> see.",
        "",
        "I run it:",
        "",
        "✓ Bash  npm test  → 42 passed  1.0 s",
        "",
        "All good.",
        "",
        "✓ completed · 2 turns · 1.2k in + 6k cached, 84 out · $0.0039 · 3.4 s",
        ""
      ].join("\n")
    )
  })

  it("on a terminal", () => {
    expect(withNames(transcriptOf(events, live))).toBe(
      [
        "<cyan>●</> <bold>claude 2.1</><dim> · opus · session s1</>",
        "",
        "<dim>Let me</>",
        "<dim>see.</>",
        "",
        "I run it:",
        "",
        "<green>✓</> <bold>Bash</>  npm test  <dim>→ 42 passed</>  <dim>1.0 s</>",
        "",
        "All good.",
        "",
        "<green>✓ completed</><dim> · 2 turns · 1.2k in + 6k cached, 84 out · $0.0039 · 3.4 s</>",
        ""
      ].join("\n")
    )
  })

  it("replayed, without any time", () => {
    const replayed = transcriptOf([...events.slice(0, -1), done({ durationMs: 0 })], plain, null)
    expect(replayed).toContain("✓ Bash  npm test  → 42 passed\n")
    expect(replayed).not.toMatch(/\d m?s\b/)
  })
})

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

describe("notices", () => {
  it("tell a retry and withdrawn text, and go on below", () => {
    const events = [
      text("Hel"),
      notice("text_voided", "…", { characters: 3 }),
      notice("retry", "Attempt 1"),
      text("Hello.")
    ]
    expect(transcriptOf(events)).toBe("Hel\n\n↶ the agent took back its last 3 characters\n↻ Attempt 1\n\nHello.")
  })

  it("are not told when they are no news", () => {
    const allowed = notice("rate_limit", "fine", { status: "allowed" })
    expect(transcriptOf([notice("progress", "working"), allowed])).toBe("")
    expect(transcriptOf([notice("rate_limit", "nearly used up", { status: "allowed_warning" })])).toContain("nearly")
  })
})

describe("the end", () => {
  it("of a failed run has its error, the last of its stderr, and counts lines that nobody knows", () => {
    const error: AgentEvent = {
      type: "error",
      message: "Overloaded\nTry later",
      code: "529",
      category: "overloaded",
      retryable: true,
      retryAfterMs: 90_000
    }
    const stderrTail = ["1", "2", "3", "4", "5", "6\x1b[2J"].join("\n")
    const failed = done({ outcome: "failed", reason: "exited", stderrTail, numTurns: 1 })
    expect(transcriptOf([text("Hm"), { type: "unknown", raw: {} }, error, failed])).toBe(
      [
        "Hm",
        "",
        "✗ Overloaded",
        "  Try later",
        "  overloaded · 529 · possible again in 1 min 30 s",
        "",
        "  stderr:",
        "  2",
        "  3",
        "  4",
        "  5",
        "  6␛[2J",
        "✗ failed · exited · 1 turn · 1.2k in + 6k cached, 84 out · $0.0039 · 3.4 s · 1 unknown line",
        ""
      ].join("\n")
    )
  })

  it("shows the structured output", () => {
    expect(transcriptOf([done({ structuredOutput: { answer: 42 } })])).toContain('{\n  "answer": 42\n}\n✓ completed')
  })
})

describe("a live session", () => {
  const end = done()
  const turnDone = (more = {}) => ({ ...end, type: "turn_done", ...more }) as AgentEvent // of the same form
  const request = (requestId: string, more: object = {}) =>
    ({
      type: "permission_request",
      requestId,
      toolName: "Bash",
      toolId: "t",
      kind: "command",
      input: {},
      title: "rm x",
      ...more
    }) as AgentEvent
  const decision = (requestId: string, more: object) =>
    ({ type: "permission_decision", requestId, ...more }) as AgentEvent

  it("tells what was asked and decided, and the end of each turn", () => {
    const events = [
      session,
      request("a", { preview: "$ rm x", reason: "it deletes" }),
      decision("a", { decision: "deny", by: "caller", message: "no" }),
      request("b", { kind: "plan", toolName: "ExitPlanMode", title: "Plan", plan: "1. look\n\n2. do" }),
      decision("b", { decision: "allow", by: "caller", input: {} }),
      text("Done."),
      turnDone(),
      end
    ]
    const ended = "2 turns · 1.2k in + 6k cached, 84 out · $0.0039 · 3.4 s"
    expect(transcriptOf(events).split("\n").slice(2)).toEqual([
      "? Bash  rm x",
      "  $ rm x",
      "  it deletes",
      "⊘ denied  Bash  rm x · no",
      "",
      "? ExitPlanMode  Plan",
      "  1. look",
      "",
      "  2. do",
      "✓ allowed  ExitPlanMode  Plan · with another input",
      "",
      "Done.",
      "",
      `✓ completed · ${ended}`,
      "",
      `✓ session completed · ${ended}`,
      ""
    ])
  })

  it.each([
    [{ decision: "allow", by: "rule" }, ""],
    [{ decision: "allow", by: "memory" }, "✓ allowed  Bash  rm x · as before\n"],
    [{ decision: "deny", by: "rule", message: "never" }, "⊘ denied  Bash  rm x · by a rule: never\n"],
    [{ decision: "deny", by: "deadline", message: "m" }, "⊘ denied  Bash  rm x · nobody answered in time: m\n"],
    [{ decision: "withdrawn", by: "agent" }, "· no longer asked  Bash  rm x\n"]
  ])("decided %j", (how, line) => {
    expect(transcriptOf([request("a"), decision("a", how)])).toBe(line)
  })

  it("tells questions, their choices and the answers", () => {
    const question: AgentEvent = {
      type: "question",
      requestId: "q",
      questions: [
        {
          header: "H",
          question: "Which?",
          options: [{ label: "a", description: "d" }, { label: "b" }],
          multiple: true,
          freeText: false
        }
      ]
    }
    const told = "? H: Which?\n  1  a — d\n  2  b\n"
    const answer = (more: object) => ({ type: "question_answer", requestId: "q", by: "caller", ...more }) as AgentEvent
    expect(transcriptOf([question, answer({ answers: { "Which?": ["a", "b"] } })])).toBe(`${told}✓ a, b\n`)
    expect(transcriptOf([question, answer({})])).toBe(`${told}· not answered: the agent uses its defaults\n`)
    expect(transcriptOf([question, answer({ by: "end" })])).toBe(`${told}· no longer asked\n`)
  })
})
