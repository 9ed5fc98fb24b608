/** Dialogs of Pi's extensions hold the agent: each gets one answer, and one that no one can answer is cancelled. */
import { assert, describe, it } from "vitest"
import { isAction, type Output } from "../../../../src/cli/Live.ts"
import { aborted, agentEnd, begun, endOf, type Json, message, opened, type Talk, tags } from "./talk.ts"

const request = (method: string, fields: object = {}) => ({
  type: "extension_ui_request",
  id: "d1",
  method,
  title: "Which colour?",
  ...fields
})

const questionIn = (outputs: ReadonlyArray<Output>): Json => {
  const [output] = outputs
  return isAction(output ?? { type: "text", text: "" }) ? output : assert.fail("nothing is asked")
}

const responses = (talk: Talk) => talk.lines.filter(({ type }) => type === "extension_ui_response")

const colours = { options: ["Red", "Green"] }
const cancelled = { type: "extension_ui_response", id: "d1", cancelled: true }

/** [method, fields, question, answer, response] */
const table: ReadonlyArray<readonly [string, object, object, string, object]> = [
  [
    "select",
    colours,
    { freeText: false, options: [{ label: "Red" }, { label: "Green" }] },
    "Green",
    { value: "Green" }
  ],
  ["confirm", {}, { freeText: false, options: [{ label: "Yes" }, { label: "No" }] }, "Yes", { confirmed: true }],
  ["confirm", {}, { freeText: false }, "No", { confirmed: false }],
  ["input", { placeholder: "?" }, { freeText: true, options: [] }, 'mauve, "rather"', { value: 'mauve, "rather"' }],
  ["editor", { prefill: "a" }, { freeText: true, options: [] }, "a\nb", { value: "a\nb" }]
]

describe("a dialog", () => {
  it.each(table)("%s %j is a question, and gets its answer once", (method, fields, question, answer, response) => {
    const talk = begun()
    const action = questionIn(talk.hear(request(method, fields)))
    assert.deepInclude(action, { _tag: "Questioned", requestId: "d1" })
    assert.deepInclude(action.questions[0], { question: "Which colour?", multiple: false, ...question })
    talk.answer("d1", { "Which colour?": [answer] })
    talk.answer("d1", { "Which colour?": [answer] })
    assert.deepStrictEqual(responses(talk), [{ type: "extension_ui_response", id: "d1", ...response }])
  })

  it.each(["select", "confirm", "input", "editor"])("%s without an answer is cancelled", (method) => {
    const talk = begun()
    talk.hear(request(method, colours))
    talk.answer("d1")
    assert.deepStrictEqual(responses(talk), [cancelled])
  })

  it.each(["constructor", "__proto__", "toString"])(
    "called %s, a name that every object has, is answered as any",
    (title) => {
      const talk = begun()
      talk.hear(request("input", { title }))
      talk.answer("d1", {})
      assert.deepStrictEqual(responses(talk), [cancelled])
      const [notice] = talk.hear(request("notify", { message: "hi", notifyType: title }))
      assert.deepStrictEqual(notice, { type: "notice", kind: "info", message: "hi" })
    }
  )

  it("shows its message below its title", () => {
    const action = questionIn(begun().hear(request("confirm", { title: "Delete?", message: "All of it." })))
    assert.strictEqual(action.questions[0].question, "Delete?\nAll of it.")
  })

  it("in no turn is cancelled at once, and no one is asked", () => {
    const talk = opened()
    assert.deepStrictEqual(talk.hear(request("select", colours)), [])
    assert.deepStrictEqual(responses(talk), [cancelled])
    talk.answer("d1", { "Which colour?": ["Red"] })
    assert.lengthOf(responses(talk), 1)
  })

  it("is cancelled and withdrawn by an interrupt, before the abort, and a later one is cancelled at once", () => {
    const talk = begun()
    talk.hear(request("select", colours))
    assert.deepStrictEqual(talk.interrupt(), [{ _tag: "Withdrawn", requestId: "d1" }])
    assert.deepStrictEqual(
      talk.lines.slice(-2).map(({ type }) => type),
      ["extension_ui_response", "abort"]
    )
    assert.deepStrictEqual(talk.hear(request("confirm", { id: "d2" })), [])
    assert.deepStrictEqual(responses(talk), [cancelled, { ...cancelled, id: "d2" }])
    talk.hear(...aborted(), agentEnd)
    talk.reply("abort")
    endOf(talk.tell())
  })

  it("that is unknown is cancelled, so that it holds nothing up", () => {
    const talk = begun()
    assert.deepStrictEqual(talk.hear(request("of_tomorrow")), [])
    assert.deepStrictEqual(responses(talk), [cancelled])
  })

  it("that is still open when its turn ends is cancelled and withdrawn", () => {
    const talk = begun()
    talk.hear(request("select", colours), ...message("done"), agentEnd)
    const outputs = talk.tell()
    assert.deepStrictEqual(tags(outputs), ["Withdrawn", "TurnEnded"])
    assert.deepStrictEqual(responses(talk), [cancelled])
  })
})

describe("what an extension shows", () => {
  it.each([
    ["info", "info"],
    ["warning", "warning"],
    ["error", "warning"],
    [undefined, "info"]
  ])("as %s is a notice: %s", (notifyType, kind) => {
    for (const talk of [begun(), opened()]) {
      const outputs = talk.hear(request("notify", { message: "Saved.", notifyType }))
      assert.deepStrictEqual(outputs, [{ type: "notice", kind, message: "Saved." } as Output])
      assert.deepStrictEqual(responses(talk), [])
    }
  })

  it.each(["setStatus", "setWidget", "setTitle", "set_editor_text"])("%s is left out", (method) => {
    const talk = begun()
    assert.deepStrictEqual(talk.hear(request(method, { message: "x", text: "x" })), [])
    assert.deepStrictEqual(responses(talk), [])
  })
})
