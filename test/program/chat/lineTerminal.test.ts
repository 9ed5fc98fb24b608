/** A chat at a terminal that cannot be drawn over: what is asked is written whole, and answered by a line. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, it as effectIt } from "@effect/vitest"
import { Effect, Stdio } from "effect"
import { TerminalCapabilities } from "effect/cli"
import { describe, expect, it } from "vitest"
import type { AgentEvent } from "../../../src/contract/AgentEvent.ts"
import { begin } from "../../../src/program/blocks.ts"
import { emptyChat } from "../../../src/program/chat/chatState.ts"
import type { ChatInput, ChatScene } from "../../../src/program/chat/draw.ts"
import { chatJson } from "../../../src/program/chat/json.ts"
import { chatLines } from "../../../src/program/chat/lines.ts"
import { advanceLines, chatLineTerminal } from "../../../src/program/chat/lineTerminal.ts"
import { chatTerminal } from "../../../src/program/chat/terminal.ts"
import { chooseMode } from "../../../src/program/chat.ts"
import { request } from "../transcriptEvents.ts"

describe("the mode of a chat", () => {
  const mode = (json: boolean, canPrompt: boolean, stdin: boolean, stdout: boolean, isPlain = false) =>
    chooseMode(json, isPlain).pipe(
      Effect.provideService(TerminalCapabilities.TerminalCapabilities, {
        canPrompt,
        canColor: false,
        canAnimate: false
      }),
      Effect.provideServiceEffect(
        Stdio.Stdio,
        Effect.map(Stdio.Stdio, (stdio) => ({
          ...stdio,
          stdinIsTerminal: Effect.succeed(stdin),
          stdoutIsTerminal: Effect.succeed(stdout)
        }))
      ),
      Effect.provide(NodeServices.layer)
    )

  effectIt.effect.each([
    ["a terminal that takes keys", false, true, true, true, chatTerminal],
    ["a terminal that is dumb asks by lines, and denies nothing unasked", false, false, true, true, chatLineTerminal],
    ["no terminal for what is typed", false, false, false, true, chatLines],
    ["no terminal for what is shown", false, false, true, false, chatLines],
    ["another program", true, true, true, true, chatJson]
  ] as const)("%s", ([, json, canPrompt, stdin, stdout, expected]) =>
    Effect.map(mode(json, canPrompt, stdin, stdout), (found) => assert.strictEqual(found, expected))
  )

  effectIt.effect("a person who wants words and lines alone", () =>
    Effect.map(mode(false, true, true, true, true), (found) => assert.strictEqual(found, chatLineTerminal))
  )
})

const requested = request({
  title: "npm test",
  scopes: [{ id: "exact", label: "this exact command", covers: "Only this exact command." }],
  preview: `$ npm test\n${"x\n".repeat(100)}  rm -rf ~`
})
const question: AgentEvent = {
  type: "question",
  requestId: "q",
  questions: [{ question: "Which?", options: [{ label: "a" }, { label: "b" }], multiple: false, freeText: false }]
}

/** A text is a line, a number is that many milliseconds later. */
const play = (steps: ReadonlyArray<string | number | AgentEvent>) => {
  let scene: ChatScene = { chat: emptyChat, transcript: begin("claude", 0) }
  let now = 0
  let text = ""
  const actions: Array<unknown> = []
  for (const step of steps) {
    if (typeof step === "number") {
      now += step
      continue
    }
    const input: ChatInput = typeof step === "string" ? { _tag: "Line", text: step } : { _tag: "Event", event: step }
    const next = advanceLines(scene, [input], { surface: { live: false, columns: 40 }, now })
    scene = next
    text += next.text
    actions.push(...next.actions)
  }
  return { text, actions }
}

const decided = (answer: object) => [{ _tag: "Decide", requestId: "r", answer }]

describe("a request", () => {
  it("is written whole, with the numbers that answer it", () => {
    const { text } = play([requested])
    expect(text.split("\n").slice(0, 3)).toEqual(["? claude asks to run a command (Bash)", "  $ npm test", "  x"])
    expect(text).toContain(
      "    rm -rf ~\na always: Only this exact command.\nAnswer with a number and Enter:\n  1  yes, once\n"
    )
    expect(play([requested, 600, "what?"]).text).toContain("· answer with one of 1, 2, 3, 4")
  })

  it.each([
    ["1", { decision: "allow" }],
    ["2", { decision: "allow", remember: "exact" }],
    ["3", { decision: "deny" }],
    ["4 rather not", { decision: "deny", message: "rather not" }],
    ["y", { decision: "allow" }],
    [" Y ", { decision: "allow" }],
    ["a", { decision: "allow", remember: "exact" }],
    ["n", { decision: "deny" }],
    ["m", { decision: "deny" }],
    ["m rather not, y", { decision: "deny", message: "rather not, y" }]
  ])("is answered by %j", (line, answer) => {
    expect(play([requested, 600, line]).actions).toEqual(decided(answer))
  })

  it.each(["", "yes", "maybe", "o", "0", "5", "1 2", "y y", "v", "hello there"])("is not answered by %j", (line) => {
    expect(play([requested, 600, line]).actions).toEqual([])
    expect(play([requested, 600, line, "y"]).actions).toEqual(decided({ decision: "allow" }))
  })

  it("is not answered by a line that was typed before it could be read", () => {
    const { actions, text } = play([requested, 100, "y"])
    expect(actions).toEqual([])
    expect(text.replace(/\s+/g, " ")).toContain("typed before the request could be read")
  })

  it("with a plan that is not told can only be denied", () => {
    const plan: AgentEvent = request({ ...requested, kind: "plan" })
    const { text, actions } = play([plan, 600, "y", "n"])
    expect(text).toContain("Its plan is not in the request, so it can only be denied.")
    expect(actions).toEqual(decided({ decision: "deny" }))
  })
})

it("a question is answered by a line, and asked again after an invalid answer", () => {
  const { text, actions } = play([question, 600, "7", "2"])
  expect(text).toContain("a number from 1 to 2")
  expect(actions).toEqual([{ _tag: "Answer", requestId: "q", answers: { "Which?": ["b"] } }])
  expect(play([question, 600, ""]).actions).toEqual([{ _tag: "Answer", requestId: "q", answers: undefined }])
})

it("a line is a prompt where nothing is asked, and is not written a second time", () => {
  expect(play(["hello"])).toEqual({ text: "", actions: [{ _tag: "Send", text: "hello" }] })
})
