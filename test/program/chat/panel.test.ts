/** Requests at a terminal, and the keys that answer them. */
import { describe, expect, it } from "vitest"
import { requestEventOf } from "../../../src/agents/approvals/requestEvent.ts"
import type { PermissionRequestEvent, Question, QuestionEvent } from "../../../src/contract/SessionEvent.ts"
import type { AnswerAction } from "../../../src/program/chat/actions.ts"
import { choiceOf, displayed, type Panel, panelOf, pressPanel, viewed } from "../../../src/program/chat/panel.ts"
import { keysOf } from "./keys.ts"

const exactly = { id: "exact", label: "this exact command", covers: "Only this exact command." }
const wider = { id: "wider-1", label: "git", covers: "Any command of git." }

const request = (kind: "command" | "plan", more: Partial<PermissionRequestEvent> = {}): PermissionRequestEvent => ({
  type: "permission_request",
  requestId: "r",
  toolName: "Bash",
  toolId: "t",
  kind,
  input: {},
  title: "ls",
  escalated: false,
  scopes: kind === "plan" ? [exactly] : [exactly, wider],
  ...(kind === "plan" ? { plan: "1. look" } : {}),
  ...more
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

const keysPanel = () => {
  const panel = panelOf(request("command"), 0)
  if (panel._tag !== "Keys") throw new Error("a key decides it")
  return panel
}

const answerTo = (ask: PermissionRequestEvent | QuestionEvent, keys: ReadonlyArray<string>) => {
  let panel: Panel | undefined = panelOf(ask, 0)
  let action: AnswerAction | undefined
  for (const key of keys.flatMap(keysOf)) {
    if (panel === undefined) throw new Error("it was answered before")
    if (panel._tag === "Keys") panel = displayed(panel, false)
    ;[panel, action] = pressPanel(panel, key)
  }
  return action ?? panel
}

describe("a permission", () => {
  it.each([
    ["y", "command", { decision: "allow" }],
    ["a", "command", { decision: "allow", remember: "exact" }],
    ["1", "command", { decision: "allow", remember: "wider-1" }],
    ["n", "command", { decision: "deny" }],
    ["y", "plan", { decision: "allow" }],
    ["n", "plan", { decision: "deny" }],
    ["o", "plan", { decision: "outline" }]
  ] as const)("%s for a %s", (key, kind, answer) => {
    expect(answerTo(request(kind), [key])).toEqual({ _tag: "Decide", requestId: "r", answer })
  })

  it.each([
    ["o", "command"],
    ["2", "command"],
    ["v", "command"],
    ["a", "plan"],
    ["x", "command"],
    ["<return>", "command"],
    ["<ctrl-y>", "command"]
  ] as const)("%s decides nothing for a %s", (key, kind) => {
    expect(answerTo(request(kind), [key])).toMatchObject({ _tag: "Keys" })
  })

  const edits = { id: "edits", label: "this plan and its edits", covers: "This plan, and its edits." }

  it("e carries a plan out with its edits, where it has that scope", () => {
    const answer = { decision: "allow", remember: "edits" }
    expect(answerTo(request("plan", { scopes: [exactly, edits] }), ["e"])).toEqual({
      _tag: "Decide",
      requestId: "r",
      answer
    })
    expect(answerTo(request("plan"), ["e"])).toMatchObject({ _tag: "Keys" })
    expect(answerTo(request("command", { scopes: [exactly, edits] }), ["e"])).toMatchObject({ _tag: "Keys" })
    expect(answerTo(request("plan", { scopes: [exactly, edits], plan: " " }), ["e"])).toMatchObject({ _tag: "Keys" })
    const early = panelOf(request("plan", { scopes: [exactly, edits] }), 0)
    expect(pressPanel(early, { text: "e", name: "e", ctrl: false, meta: false })).toEqual([
      { ...early, problem: "view all of it first: v" },
      undefined
    ])
  })

  it.each(["a", "1"])("is not remembered where nothing can be: %s", (key) => {
    expect(answerTo(request("command", { scopes: [] }), [key])).toMatchObject({ _tag: "Keys" })
  })

  it.each(["y", "o", "a"])("for a plan that is not told cannot be given: %s", (key) => {
    const { plan: _, ...untold } = request("plan")
    expect(answerTo(untold, [key])).toMatchObject({ _tag: "Keys" })
    expect(answerTo({ ...untold, plan: " \n" }, [key])).toMatchObject({ _tag: "Keys" })
    expect(answerTo(untold, ["n"])).toMatchObject({ answer: { decision: "deny" } })
  })

  const press = (panel: Panel, name: string) => pressPanel(panel, { text: name, name, ctrl: false, meta: false })
  const rows = (top: number, layout = "79") => ({ layout, top, room: 10, count: 25 })

  it.each(["y", "a", "1"])("cannot be given before the last row was on the screen: %s", (key) => {
    let panel = displayed(keysPanel(), true)
    for (const top of [0, 9]) {
      panel = displayed(viewed(panel, rows(top)), true)
      expect(press(panel, key)).toMatchObject([{ problem: "view all of it first: v" }, undefined])
    }
    expect(press(viewed(panel, rows(15)), key)[1]).toMatchObject({ answer: { decision: "allow" } })
  })

  it("cannot be given where a part was jumped over", () => {
    const jumped = viewed(viewed(displayed(keysPanel(), true), rows(0)), rows(15))
    expect(press(jumped, "y")[1]).toBeUndefined()
    expect(press(viewed(viewed(jumped, rows(8)), rows(15)), "y")[1]).toMatchObject({ answer: { decision: "allow" } })
  })

  it("begins anew where the screen has changed before all was seen, and only then", () => {
    const half = viewed(displayed(keysPanel(), true), rows(0))
    expect(viewed(half, rows(10, "49"))).toMatchObject({ seen: 0, isWhole: false })
    expect(viewed(half, rows(10))).toMatchObject({ seen: 20, isWhole: false })
    const whole = viewed(viewed(half, rows(10)), rows(15))
    expect(viewed(displayed(whole, true), rows(0, "49"))).toMatchObject({ seen: 10, isWhole: true })
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

  it("are asked again after an invalid answer", () => {
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
    [colour, "1,2", { problem: "choose only one" }],
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

describe("a request that cannot be shown whole", () => {
  const ask = { requestId: "r", toolName: "Bash", toolId: "t", title: "x", takesInput: true } as const
  const previewOf = (command: string, input: unknown) =>
    requestEventOf({ ...ask, kind: "command", command, input }, "/w").preview()
  const long = `${"x".repeat(70_000)}; rm -rf ~`
  let deep: object = {}
  for (let depth = 0; depth < 1_000; depth++) deep = { deep }

  it.each([
    ["too long", previewOf(long, { command: long })],
    ["nested too deep", previewOf("ls", deep)]
  ])("since it is %s can only be denied", (_, visible) => {
    const requested = request("command", visible)
    for (const key of ["y", "a", "1"]) expect(answerTo(requested, [key])).toMatchObject({ _tag: "Keys", isWhole: true })
    expect(answerTo(requested, ["n"])).toMatchObject({ answer: { decision: "deny" } })
  })
})
