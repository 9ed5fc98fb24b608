/** What is asked at a terminal, and what answers it. */
import { describe, expect, it } from "vitest"
import { choiceOf, type Given, type Panel, panelOf, pressPanel } from "../../../src/program/chat/panel.ts"
import type { PermissionRequestEvent, Question, QuestionEvent } from "../../../src/SessionEvent.ts"
import { keysOf } from "./keys.ts"

const request = (kind: "command" | "plan"): PermissionRequestEvent => ({
  type: "permission_request",
  requestId: "r",
  toolName: "Bash",
  toolId: "t",
  kind,
  input: {},
  title: "ls",
  escalated: false,
  scopes: [{ id: "exact", label: "this exact command", covers: "Only this exact command, until this session ends." }]
})

const colour: Question = {
  question: "Colour?",
  options: [{ label: "red" }, { label: "blue" }],
  multiple: false,
  freeText: true
}
const sizes: Question = {
  question: "Sizes?",
  options: [{ label: "S" }, { label: "M" }, { label: "L" }],
  multiple: true,
  freeText: false
}
const questions: QuestionEvent = { type: "question", requestId: "q", questions: [colour, sizes] }

const answerTo = (ask: PermissionRequestEvent | QuestionEvent, keys: ReadonlyArray<string>) => {
  let panel: Panel | undefined = panelOf(ask, 0)
  let given: Given | undefined
  for (const key of keys.flatMap(keysOf)) {
    if (panel === undefined) throw new Error("it was answered before")
    ;[panel, given] = pressPanel(panel, key)
  }
  return given ?? panel
}

describe("a permission", () => {
  it.each([
    ["y", "command", { decision: "allow" }],
    ["a", "command", { decision: "allow", remember: true }],
    ["n", "command", { decision: "deny" }],
    ["y", "plan", { decision: "allow" }],
    ["n", "plan", { decision: "deny" }],
    ["o", "plan", { decision: "outline" }]
  ] as const)("%s for a %s", (key, kind, answer) => {
    expect(answerTo(request(kind), [key])).toEqual({ _tag: "Decide", requestId: "r", answer })
  })

  it.each([
    ["o", "command"],
    ["a", "plan"],
    ["x", "command"],
    ["<return>", "command"],
    ["<ctrl-y>", "command"]
  ] as const)("%s decides nothing for a %s", (key, kind) => {
    expect(answerTo(request(kind), [key])).toMatchObject({ _tag: "Keys" })
  })

  it("is denied with a message, unless that is given up", () => {
    const message = { _tag: "Decide", requestId: "r", answer: { decision: "deny", message: "no, y" } }
    expect(answerTo(request("command"), ["m", "no, y ", "<return>"])).toEqual(message)
    expect(answerTo(request("command"), ["m", "no", "<escape>"])).toMatchObject({ _tag: "Keys" })
    expect(answerTo(request("command"), ["m", "no", "<escape>", "y"])).toMatchObject({ answer: { decision: "allow" } })
    expect(answerTo(request("command"), ["m", "<return>"])).toMatchObject({ answer: { decision: "deny" } })
  })
})

describe("questions", () => {
  it.each([
    ["each in its turn", ["2", "<return>", "1,3", "<return>"], { "Colour?": ["blue"], "Sizes?": ["S", "L"] }],
    ["one is left to the agent", ["<return>", "2", "<return>"], { "Sizes?": ["M"] }],
    ["all are", ["<return>", "<return>"], undefined]
  ])("%s", (_, keys, answers) => {
    expect(answerTo(questions, keys)).toEqual({ _tag: "Answer", requestId: "q", answers })
  })

  it("are asked again after an answer that is none", () => {
    const again = answerTo(questions, ["<return>", "7", "<return>"])
    expect(again).toMatchObject({ _tag: "Reply", at: 1, problem: "numbers from 1 to 3, such as 1,2" })
    expect(answerTo(questions, ["<return>", "7", "<return>", "1", "<return>"])).toMatchObject({
      answers: { "Sizes?": ["S"] }
    })
  })

  it.each([
    [colour, "1", { chosen: ["red"] }],
    [colour, "BLUE", { chosen: ["blue"] }],
    [colour, " a warm grey ", { chosen: ["a warm grey"] }],
    [colour, "1,2", { problem: "choose one" }],
    [colour, "3", { problem: "a number from 1 to 2" }],
    [colour, '"3"', { chosen: ["3"] }],
    [sizes, "3, 1 1", { chosen: ["L", "S"] }],
    [sizes, "m", { chosen: ["M"] }],
    [sizes, "0", { problem: "numbers from 1 to 3, such as 1,2" }],
    [sizes, "huge", { problem: "numbers from 1 to 3, such as 1,2" }]
  ])("$question “%s”", (question, text, choice) => {
    expect(choiceOf(question, text)).toEqual(choice)
  })
})
