/** The screen of a chat: the transcript, and below it the open request or the prompt. */
import { describe, expect, it } from "vitest"
import type { AgentEvent } from "../../../src/contract/AgentEvent.ts"
import { begin } from "../../../src/program/blocks.ts"
import { emptyChat } from "../../../src/program/chat/chatState.ts"
import { advance, type ChatInput, type ChatScene } from "../../../src/program/chat/draw.ts"
import { withFooter } from "../../../src/program/chat/footer.ts"
import { compose, emptyScreen } from "../../../src/program/chat/screen.ts"
import { done, exactScope, request, session, text, use } from "../transcriptEvents.ts"
import { keysOf } from "./keys.ts"
import { makeTerminal } from "./smallTerminal.ts"

const columns = 60
const rows = 24

const end = done()
const turnDone: AgentEvent = {
  type: "turn_done",
  result: {
    outcome: "completed",
    reason: "completed",
    text: "",
    sessionId: "s1",
    usage: undefined,
    durationMs: 1000,
    aborted: false,
    numTurns: 1
  }
}
const command: AgentEvent = request({
  title: "npm test",
  command: "npm test",
  scopes: [exactScope],
  preview: "$ npm test\nreason: it is not on the list",
  reason: "it is not on the list"
})
const allowed: AgentEvent = { type: "permission_decision", requestId: "r", decision: "allow", by: "caller" }
const question: AgentEvent = {
  type: "question",
  requestId: "q",
  questions: [
    {
      question: "Which?",
      options: [{ label: "this", description: "the first" }, { label: "that" }],
      multiple: false,
      freeText: true
    }
  ]
}

/** A text is typed, a number is that many milliseconds later. */
const screenAfter = (steps: ReadonlyArray<string | number | AgentEvent>) => {
  const terminal = makeTerminal(columns)
  const surface = { live: false, columns }
  let scene: ChatScene = { chat: emptyChat, transcript: begin("claude", 0) }
  let screen = emptyScreen
  let now = 0
  for (const step of steps) {
    if (typeof step === "number") now += step
    const inputs =
      typeof step === "number"
        ? [{ _tag: "Tick" } as const]
        : typeof step === "string"
          ? keysOf(step).map((key): ChatInput => ({ _tag: "Key", key }))
          : [{ _tag: "Event", event: step } as const]
    const { text: drawn, transcript, chat } = advance(scene, inputs, { surface, rows, now })
    const below = withFooter(chat, transcript, { surface, rows, now })
    scene = { transcript, chat: below.chat }
    const [after, output] = compose(screen, drawn, below.footer, columns)
    screen = after
    terminal.write(output)
  }
  return terminal.lines()
}

const status = "claude · opus · asks · /w · /help"
const head = ["● claude 2.1 · opus · session s1", ""]

describe("a chat", () => {
  it("begins with a prompt, and keeps what is typed below what comes", () => {
    expect(screenAfter([session])).toEqual([...head, "› ", status])
    expect(screenAfter([session, "hi", "<return>", text("Hel"), "mo", text("lo"), "re"])).toEqual([
      ...head,
      "› hi",
      "",
      "Hello",
      "",
      "⠋ writing  1 s · Ctrl-C interrupts",
      "› more",
      status
    ])
  })

  it("tells what the agent is doing while it is silent", () => {
    const lines = screenAfter([session, "hi", "<return>", use("t", "Bash", "make"), 2000])
    expect(lines.slice(-3)).toEqual([expect.stringMatching(/^\S Run {3}make {2}2 s$/), "› ", status])
  })

  it("shows what is asked, the keys that answer, and then the answer", () => {
    const requested = [session, "hi", "<return>", command]
    const request = ["  $ npm test", "  reason: it is not on the list"]
    const keys = "y yes, once · a always · n no · m no, and say why"
    expect(screenAfter(requested)).toEqual([
      ...head,
      "› hi",
      "",
      "? claude asks to run a command (Bash)",
      ...request,
      "a always: Only this exact command, in this directory.",
      keys
    ])
    const reported = [...head, "› hi", "", "? Run   npm test", ...request]
    expect(screenAfter([...requested, 600, "m", "why?"]).at(-1)).toBe("message for the agent: why?")
    expect(screenAfter([...requested, 600, "y", allowed, text("Fine."), turnDone])).toEqual([
      ...reported,
      "✓ allowed  Run   npm test",
      "",
      "Fine.",
      "",
      "✓ completed · 1 turn · 1.0 s",
      "",
      "› ",
      status
    ])
  })

  it("keeps a text that was begun in sight of what is asked", () => {
    expect(screenAfter([session, "a te", command, 100, "xt"]).slice(-2)).toEqual([
      "y yes, once · a always · n no · m no, and say why",
      "› a text"
    ])
  })

  it("asks a question with its choices", () => {
    const requested = [session, "hi", "<return>", question]
    expect(screenAfter(requested).slice(4)).toEqual([
      "? Which?",
      "  1  this — the first",
      "  2  that",
      "",
      "a number, or a text; Enter alone leaves it to the agent",
      "? "
    ])
    expect(screenAfter([...requested, 600, "7", "<return>"]).slice(-2)).toEqual(["a number from 1 to 2", "? "])
  })

  it("wraps a long text, and shows the rows around its cursor", () => {
    const lines = screenAfter([session, "x".repeat(600)])
    expect(lines.slice(2)).toHaveLength(9)
    expect(lines.slice(-2)[0]).toMatch(/^ {2}x+$/)
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(columns)
  })

  it("ends with the session, and how to go on with it", () => {
    const lines = screenAfter([session, "hi", "<return>", text("Hello"), turnDone, end])
    expect(lines.some((line) => line.startsWith("✓ session completed · 2 turns"))).toBe(true)
    expect(lines).toContain("· continue it with: reins chat --agent claude --resume s1")
  })
})
