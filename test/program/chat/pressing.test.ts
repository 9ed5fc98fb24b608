/** Keys of a chat besides the answers: views, completion, the clipboard, and the way back to the shell. */
import { describe, expect, it } from "vitest"
import type { AgentEvent } from "../../../src/contract/AgentEvent.ts"
import { begin } from "../../../src/program/blocks.ts"
import type { Action } from "../../../src/program/chat/actions.ts"
import { emptyChat } from "../../../src/program/chat/chatState.ts"
import { advance, type ChatInput } from "../../../src/program/chat/draw.ts"
import { type Drawn, emptyDrawn, frame } from "../../../src/program/chat/drawChat.ts"
import { printable } from "../../../src/program/sequences.ts"
import { done, request, result, session, text, use } from "../transcriptEvents.ts"
import { keysOf } from "./keys.ts"

type Step = string | number | AgentEvent | ChatInput

const inputsOf = (step: Step): ReadonlyArray<ChatInput> => {
  if (typeof step === "number") return [{ _tag: "Tick" }]
  if (typeof step === "string") return keysOf(step).map((key) => ({ _tag: "Key", key }))
  return ["_tag" in step ? step : { _tag: "Event", event: step }]
}

/** A text is typed, a number is that many milliseconds later. */
const play = (steps: ReadonlyArray<Step>) => {
  let drawn: Drawn = emptyDrawn(begin("claude", 0))
  let now = 0
  let all = ""
  const actions: Array<Action> = []
  for (const step of steps) {
    if (typeof step === "number") now += step
    const scene = { surface: { live: false, columns: 60 }, rows: 12, now }
    const advanced = advance(drawn, inputsOf(step), scene)
    const [next, content] = frame(drawn, advanced, scene)
    actions.push(...advanced.actions)
    drawn = next
    all += printable(content)
  }
  return { drawn, chat: drawn.chat, actions, all, count: (mark: string) => all.split(mark).length - 1 }
}

const turnDone: AgentEvent = { ...done(), type: "turn_done" } as AgentEvent // the same result, of a turn
const ask: AgentEvent = request({ title: "ls", preview: "line\n".repeat(40) })
const [entered, left] = ["\x1b[?1049h", "\x1b[?1049l"]

describe("a view", () => {
  const called = [session, use("t", "Bash", "make"), result("t", "one\ntwo")]

  it("unfolds a tool call, and what comes meanwhile is in the transcript after it", () => {
    const { all, chat } = play([...called, "<ctrl-o>", text("Meanwhile."), 100, "q", 100])
    const [before = "", during = "", after = ""] = all.split(/\x1b\[\?1049[hl]/)
    expect(before).not.toContain("2  two")
    expect(during).toContain("2  two")
    expect(during).not.toContain("Meanwhile.")
    expect(after).toContain("Meanwhile.")
    expect(chat.view).toBeUndefined()
  })

  it("is left by the end of the session", () => {
    const { count } = play([...called, "<ctrl-o>", 100, done()])
    expect([count(entered), count(left)]).toEqual([1, 1])
  })

  it.each(["q", "<escape>", "<ctrl-c>", "<ctrl-o>"])("is left by %s, which does nothing else", (key) => {
    const { chat, actions } = play([...called, "<ctrl-o>", 100, key, 100])
    expect({ view: chat.view, actions, text: chat.draft.text }).toEqual({ view: undefined, actions: [], text: "" })
  })

  it("goes to other calls, and finds a text", () => {
    const output = Array.from({ length: 50 }, (_, at) => `row ${at + 1}`).join("\n")
    const two = [...called, use("u", "Bash", "cat"), result("u", output)]
    expect(play([...two, "<ctrl-o>", 100, "<left>", 100]).drawn.shown).toContain("call 1 of 2")
    const found = play([...two, "<ctrl-o>", 100, "/", "row 3", "<return>", 100, "n", 100])
    expect(found.drawn.shown.split("\n")[1]).toBe("30  row 30")
  })

  it("of a request does not answer it, and is gone with it", () => {
    const known = play([session, ask, 600, "v", 100, "y", 600, "y", 600])
    expect({ actions: known.actions, view: known.chat.view?.of }).toEqual({ actions: [], view: { _tag: "Request" } })
    const decision: AgentEvent = { type: "permission_decision", requestId: "r", decision: "deny", by: "rule" }
    expect(play([session, ask, 600, "v", 100, decision, 100]).chat.view).toBeUndefined()
  })

  it("of a request: a key counts only after the time to read it", () => {
    const down = [
      "<pagedown>",
      10,
      "<pagedown>",
      10,
      "<pagedown>",
      10,
      "<pagedown>",
      10,
      "<pagedown>",
      10,
      "<pagedown>",
      10
    ]
    const known = [session, ask, 600, "v", 10, ...down, "q", 100]
    expect(play([...known, "y"]).actions).toEqual([])
    expect(play([...known, 500, "y"]).actions).toMatchObject([{ answer: { decision: "allow" } }])
    expect(play([session, ask, 600, "v", 10, "q", 600, "y"]).actions).toEqual([])
    // A remark about a key that came too early goes with the reason for it.
    const early = play([session, ask, 600, "y", 600, "v", 10, ...down, "q", 100])
    expect(early.drawn.footer?.lines.join()).not.toContain("view all of it first")
  })
})

describe("a text that is typed while a turn runs", () => {
  const busy = [session, "hi", "<return>", text("Hello")]
  const sent = (delivery: "started" | "steered" | "queued" | "failed"): ChatInput => ({
    _tag: "Delivered",
    text: "more",
    delivery
  })

  it.each([
    ["steered", result("t", ""), true],
    ["steered", turnDone, true],
    ["queued", result("t", ""), false],
    ["queued", turnDone, true]
  ] as const)("is in the transcript when it is taken up: %s", (delivery, event, isTaken) => {
    const { chat } = play([...busy, "more", "<return>", sent(delivery), event])
    expect(chat.waiting.length).toBe(isTaken ? 0 : 1)
    if (event.type === "turn_done") expect(chat.isBusy).toBe(delivery === "queued")
  })

  it("waits no more where it was not sent", () => {
    expect(play([...busy, "more", "<return>", sent("failed")]).chat.waiting).toEqual([])
  })
})

it("Ctrl-Z gives the terminal back when the footer is gone, and draws it anew afterwards", () => {
  const before = play([session, "dra", "<ctrl-z>"])
  expect({ actions: before.actions, footer: before.drawn.footer }).toEqual({ actions: [], footer: undefined })
  expect(play([session, "dra", "<ctrl-z>", 100, 100]).actions).toEqual([{ _tag: "Suspend" }])
  const { drawn } = play([session, "dra", "<ctrl-z>", 100, { _tag: "Resumed" }])
  expect(drawn.footer?.lines).toContain("› dra")
})

it("Shift-Tab asks for the next mode, and Tab for the models once", () => {
  expect(play(["<shift-tab>"]).actions).toEqual([{ _tag: "Mode", permissionMode: "plan" }])
  const requested = play(["/model o", "<tab>", "<tab>", { _tag: "Models", models: ["opus"] }, "<tab>"])
  expect({ actions: requested.actions, text: requested.chat.draft.text }).toEqual({
    actions: [{ _tag: "Models" }],
    text: "/model opus"
  })
})

it("Escape at an empty prompt interrupts the turn, once", () => {
  expect(play(["<escape>", text("x"), "<escape>", "<escape>"]).actions).toEqual([{ _tag: "Interrupt" }])
  expect(play([text("x"), "a", "<escape>"]).actions).toEqual([])
})

it("the bell rings once for what waits 10 s", () => {
  expect(play([session, ask, 9_000, 900]).count("\x07")).toBe(0)
  expect(play([session, ask, 10_000, 10_000, 10_000]).count("\x07")).toBe(1)
})

it("/copy takes the last answer", () => {
  const { actions } = play([text("One."), turnDone, text("Two"), text("."), turnDone, "/copy", "<return>"])
  expect(actions).toEqual([{ _tag: "Clipboard", text: "Two." }])
})

it("/status and /usage say what is known", () => {
  const { all } = play([session, turnDone, "/status", "<return>", "/usage", "<return>"])
  expect(all).toContain("· claude · opus · asks · 1 turn · $0.0039 · session s1 · /w")
  expect(all).toContain("no budget")
  expect(emptyChat.facts.costUsd).toBeUndefined()
})
