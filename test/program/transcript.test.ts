/** The transcript of a run: on a terminal, with colours written as <dim>, and piped, as plain text. */
import { describe, expect, it } from "vitest"
import type { AgentEvent } from "../../src/contract/AgentEvent.ts"
import { localTime } from "../../src/program/format.ts"
import {
  bare,
  done,
  live,
  notice,
  plain,
  result,
  session,
  text,
  transcriptOf,
  use,
  withNames
} from "./transcriptEvents.ts"

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
        "✓ Run   npm test  → 42 passed  1.0 s",
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
        "<green>✓</> <bold>Run</>   npm test  <dim>→ 42 passed</>  <dim>1.0 s</>",
        "",
        "All good.",
        "",
        "<green>✓ completed</><dim> · 2 turns · 1.2k in + 6k cached, 84 out</>",
        "  <dim>$0.0039 · 3.4 s</>",
        ""
      ].join("\n")
    )
  })

  it("replayed, without any time", () => {
    const replayed = transcriptOf([...events.slice(0, -1), done({ durationMs: 0 })], plain, null)
    expect(replayed).toContain("✓ Run   npm test  → 42 passed\n")
    expect(replayed).not.toMatch(/\d m?s\b/)
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

  it("are left out without news", () => {
    const allowed = notice("rate_limit", "fine", { status: "allowed" })
    expect(transcriptOf([notice("progress", "working"), allowed])).toBe("")
    expect(transcriptOf([notice("rate_limit", "nearly used up", { status: "allowed_warning" })])).toContain("nearly")
  })
})

describe("the end", () => {
  it("says when a limit ends in the time of this machine", () => {
    const retryAt = "2026-11-20T09:12:15.000Z"
    const error: AgentEvent = {
      ...{ type: "error", message: "Later", code: "usage_limit_reached", category: "rate_limit", retryable: true },
      ...{ retryAfterMs: 3_600_000, retryAt }
    }
    expect(transcriptOf([error])).toContain(`retry possible in 1 h 0 min, at ${localTime(Date.parse(retryAt))}`)
  })

  it("of a failed run has its error, the last of its stderr, and counts unknown lines", () => {
    const error: AgentEvent = {
      type: "error",
      message: "Overloaded\nTry later",
      code: "529",
      category: "overloaded",
      retryable: true,
      retryAfterMs: 90_000
    }
    const stderrTail = [...Array.from({ length: 21 }, (_, index) => String(index)), "21\x1b[2J"].join("\n")
    const failed = done({ outcome: "failed", reason: "exited", stderrTail, numTurns: 1 })
    expect(transcriptOf([text("Hm"), { type: "unknown", raw: {} }, error, failed])).toBe(
      [
        "Hm",
        "",
        "✗ Overloaded",
        "  Try later",
        "  overloaded · 529 · retry possible in 1 min 30 s",
        "",
        "  stderr, after 2 more lines:",
        ...Array.from({ length: 19 }, (_, index) => `  ${index + 2}`),
        "  21\\u001b[2J",
        "✗ failed · exited · 1 turn · 1.2k in + 6k cached, 84 out · $0.0039 · 3.4 s · 1 unknown line",
        ""
      ].join("\n")
    )
  })

  it("shows the sentence of stderr that helps whole, however narrow the screen", () => {
    const sentence = `--dangerously-skip-permissions cannot be used ${"here ".repeat(20)}since you are root`
    const failed = done({ outcome: "failed", reason: "exited", stderrTail: sentence })
    expect(bare(transcriptOf([failed], { live: true, columns: 50 }))).toContain(`  stderr:\n  ${sentence}\n`)
  })

  it.each(["session_changed", "schema_not_met", "permission_mode_mismatch"] as const)("says %s in words", (reason) => {
    expect(transcriptOf([done({ outcome: "failed", reason })])).toContain(`✗ failed · ${reason.replaceAll("_", " ")} ·`)
  })

  it("shows the structured output", () => {
    expect(transcriptOf([done({ structuredOutput: { answer: 42 } })])).toContain('{\n  "answer": 42\n}\n✓ completed')
  })
})
