/** The transcript of a live session: requests, decisions, answers, and the end of each turn. */
import { describe, expect, it } from "vitest"
import type { AgentEvent } from "../../src/contract/AgentEvent.ts"
import { begin } from "../../src/program/blocks.ts"
import { draw } from "../../src/program/transcript.ts"
import { done, session, text, transcriptOf } from "./transcriptEvents.ts"

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
      escalated: false,
      scopes: [],
      ...more
    }) as AgentEvent
  const decision = (requestId: string, more: object) =>
    ({ type: "permission_decision", requestId, ...more }) as AgentEvent

  it("tells what was asked and decided, and the end of each turn", () => {
    const events = [
      session,
      request("a", { preview: "$ rm x\nreason: it deletes", reason: "it deletes" }),
      decision("a", { decision: "deny", by: "caller", message: "no" }),
      request("b", { kind: "plan", toolName: "ExitPlanMode", title: "Plan", plan: "1. look\n\n2. do" }),
      decision("b", { decision: "allow", by: "caller", input: {} }),
      text("Done."),
      turnDone(),
      end
    ]
    const ended = "2 turns · 1.2k in + 6k cached, 84 out · $0.0039 · 3.4 s"
    expect(transcriptOf(events).split("\n").slice(2)).toEqual([
      "? Run   rm x",
      "  $ rm x",
      "  reason: it deletes",
      "⊘ denied  Run   rm x · no",
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
    [{ decision: "allow", by: "memory" }, "✓ allowed  Run   rm x · as before\n"],
    [{ decision: "deny", by: "rule", message: "never" }, "⊘ denied  Run   rm x · by a rule: never\n"],
    [{ decision: "deny", by: "deadline", message: "m" }, "⊘ denied  Run   rm x · no answer in time: m\n"],
    [{ decision: "withdrawn", by: "agent" }, "· no longer asked  Run   rm x\n"]
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
    const reported = "? H: Which?\n  1  a — d\n  2  b\n"
    const answer = (more: object) => ({ type: "question_answer", requestId: "q", by: "caller", ...more }) as AgentEvent
    expect(transcriptOf([question, answer({ answers: { "Which?": ["a", "b"] } })])).toBe(`${reported}✓ a, b\n`)
    expect(transcriptOf([question, answer({})])).toBe(`${reported}· not answered: the agent uses its defaults\n`)
    expect(transcriptOf([question, answer({ by: "end" })])).toBe(`${reported}· no longer asked\n`)
  })

  it("tells a denial once, and not as a tool that failed", () => {
    const use: AgentEvent = { type: "tool_use", toolId: "t", toolName: "Bash", input: {}, title: "rm x" }
    const failed: AgentEvent = { type: "tool_result", toolId: "t", output: "The user denied this.", isError: true }
    const notice: AgentEvent = {
      type: "notice",
      kind: "permission_denied",
      message: "Bash was denied",
      data: { toolId: "t" }
    }
    const denied = decision("a", { decision: "deny", by: "caller", message: "no" })
    expect(transcriptOf([use, request("a"), denied, failed, notice])).toBe("⊘ denied  Run   rm x · no\n")
    expect(transcriptOf([use, notice, failed])).toBe("⊘ Bash was denied\n")
    expect(transcriptOf([use, request("a"), decision("a", { decision: "allow", by: "rule" }), failed])).toContain(
      "✗ Run   rm x"
    )
  })

  it("tells what was used so far while the agent works", () => {
    const usage: AgentEvent = { type: "usage", usage: { inputTokens: 1200, outputTokens: 84 }, totalCostUsd: 0.02 }
    const [transcript] = draw(begin("claude", 0), usage, { surface: { live: true, columns: 80 }, now: 0 })
    expect(transcript.progress).toBe("1.2k in, 84 out · $0.020")
  })

  it("counts an event of a later version, and goes on", () => {
    const later = { type: "invented_later", text: "x" } as unknown as AgentEvent // none of this version
    expect(transcriptOf([later, text("Hello"), done()])).toMatch(/^Hello\n\n✓ completed .* 1 unknown line\n$/)
  })
})
