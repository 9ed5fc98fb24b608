/** A chat at a terminal: keys, events and time → actions. */
import { describe, expect, it } from "vitest"
import type { AgentEvent } from "../../../src/contract/AgentEvent.ts"
import type { Action, Message } from "../../../src/program/chat/actions.ts"
import { type Chat, emptyChat } from "../../../src/program/chat/chatState.ts"
import { displayed } from "../../../src/program/chat/panel.ts"
import { onKey } from "../../../src/program/chat/pressing.ts"
import { onEvent } from "../../../src/program/chat/state.ts"
import { done, request, text } from "../transcriptEvents.ts"
import { keysOf } from "./keys.ts"

const ask = (requestId: string): AgentEvent => request({ requestId, title: "ls" })
const decision = (requestId: string): AgentEvent => ({
  type: "permission_decision",
  requestId,
  decision: "deny",
  by: "rule"
})
const end = done()
const turnDone: AgentEvent = { type: "turn_done", result: end.type === "done" ? end.result : fail() }

function fail(): never {
  throw new Error("done has a result")
}

/** A text is typed, a number is that many milliseconds later. */
const play = (steps: ReadonlyArray<string | number | AgentEvent>) => {
  let chat: Chat = emptyChat
  let now = 0
  const actions: Array<Action> = []
  const messages: Array<Message> = []
  /** A frame of a screen on which the whole request fits. */
  const draw = () => {
    if (chat.panel?._tag === "Keys") chat = { ...chat, panel: displayed(chat.panel, false) }
  }
  for (const step of steps) {
    draw()
    if (typeof step === "number") now += step
    else if (typeof step !== "string") chat = onEvent(chat, step, now)
    else {
      for (const key of keysOf(step)) {
        const next = onKey(chat, key, now)
        chat = next.chat
        if (next.action !== undefined) actions.push(next.action)
        if (next.message !== undefined) messages.push(next.message)
      }
    }
  }
  return { chat, actions, messages }
}

const send = (words: string) => ({ _tag: "Send", text: words })
const allow = (requestId: string) => ({ _tag: "Decide", requestId, answer: { decision: "allow" } })
const enter = "<return>"

describe("what is typed", () => {
  it.each([
    ["goes off", ["hi", enter], [send("hi")]],
    ["goes off while a turn is under way", ["hi", enter, text("x"), "more", enter], [send("hi"), send("more")]],
    ["goes off with one / less", ["//compact", enter], [send("/compact")]],
    [
      "takes files along, once",
      ["/attach a, b.png", enter, "/attach c", enter, "hi", enter, "more", enter],
      [{ ...send("hi"), files: ["a, b.png", "c"] }, send("more")]
    ],
    ["needs the path of a file", ["/attach", enter, "hi", enter], [send("hi")]],
    ["is nothing", ["  ", enter], []],
    ["changes the model", ["/model opus", enter], [{ _tag: "Model", model: "opus" }]],
    ["changes the mode", ["/mode plan", enter], [{ _tag: "Mode", permissionMode: "plan" }]],
    ["leaves", ["/quit", enter], [{ _tag: "Leave" }]]
  ])("%s", (_, steps, actions) => {
    expect(play(steps).actions).toEqual(actions)
  })

  it.each([
    ["/help", { _tag: "Help" }],
    ["/model", { text: "write /model and its name" }],
    ["/model a b", { text: "write /model and its name" }],
    ["/mode yolo", { text: expect.stringContaining("accept-edits") }],
    ["/modle", { text: "/modle is not known: /model? (//modle sends it as text)" }],
    ["/what", { text: "/what is not known: /help lists them (//what sends it as text)" }],
    ["/copy x", { text: expect.stringContaining("write /copy") }],
    ["/copy", { text: "no answer to copy yet" }],
    ["/show", { text: "no tool call to unfold yet" }]
  ])("%s is answered by the program", (words, answer) => {
    const { actions, messages } = play([words, enter])
    expect({ actions, messages }).toMatchObject({ actions: [], messages: [answer] })
  })
})

describe("Ctrl-C and Ctrl-D", () => {
  const c = "<ctrl-c>"
  it.each([
    ["interrupts, then leaves, then stops", ["a", enter, c, c, c], ["Send", "Interrupt", "Leave", "Stop"]],
    [
      "interrupts the next turn, too",
      ["a", enter, c, turnDone, "b", enter, c],
      ["Send", "Interrupt", "Send", "Interrupt"]
    ],
    ["interrupts a turn that the agent began", [text("x"), c], ["Interrupt"]],
    ["interrupts while something is asked", [ask("r"), c], ["Interrupt"]],
    ["clears what is typed, then leaves", ["a", c, c], ["Leave"]],
    ["clears what is typed before it interrupts", [text("x"), "a", c, c], ["Interrupt"]],
    ["leaves at the prompt", [c], ["Leave"]],
    ["leaves at the end of a text", ["<ctrl-d>"], ["Leave"]],
    ["deletes in a text", ["a", "<ctrl-d>"], []],
    ["does not leave a turn by Ctrl-D", ["a", enter, "<ctrl-d>"], ["Send"]],
    ["hears nothing else while it leaves", [c, "a", enter], ["Leave"]]
  ])("%s", (_, steps, tags) => {
    expect(play(steps).actions.map(({ _tag }) => _tag)).toEqual(tags)
  })
})

describe("what is asked", () => {
  it("is answered by a key, the oldest first", () => {
    expect(play([ask("a"), ask("b"), 600, "y", 600, "y"]).actions).toEqual([allow("a"), allow("b")])
  })

  it("is not answered by keys that were meant for a text", () => {
    const { actions, chat } = play(["ma", ask("a"), 100, "y", 100, "b", 400, "e n", 400, "y"])
    expect({ actions, text: chat.draft.text }).toEqual({ actions: [], text: "maybe ny" })
    expect(play(["ma", ask("a"), 100, "y", 600, "y"]).actions).toEqual([allow("a")])
  })

  it("is not answered by a key that answered the one before it", () => {
    expect(play([ask("a"), ask("b"), 600, "y", 100, "y"]).actions).toEqual([allow("a")])
  })

  it("is not answered by a paste", () => {
    const { actions, chat } = play([ask("a"), 600, "<paste-start>", "y", "<paste-end>"])
    expect({ actions, text: chat.draft.text }).toEqual({ actions: [], text: "y" })
  })

  it("is gone when it was decided elsewhere, and what was typed is still there", () => {
    const { chat, actions } = play(["dra", ask("a"), ask("b"), decision("a"), decision("b"), 600, "y"])
    expect({ panel: chat.panel, actions, text: chat.draft.text }).toEqual({
      panel: undefined,
      actions: [],
      text: "dray"
    })
  })
})
