/** Which messages are an answer, and to what they come. */
import { assert, describe, it } from "vitest"
import { actOfText } from "../../../src/bridge/approvals/answering.ts"
import { type Asked, choicesOf, type Draft, untouched } from "../../../src/bridge/approvals/choices.ts"
import { colour, question, request, sizes } from "./kit.ts"

const read = (requested: Asked, text: string, isNumbered = true, draft: Draft = untouched) => {
  const act = actOfText(requested, draft, choicesOf(requested, draft, false), isNumbered, text)
  if (act?._tag === "Answer") return act.labels
  return act?._tag === "Decide" ? act.answer.decision : act
}

describe("a message", () => {
  it.each([
    ["1", "allow"],
    [" 3. ", "deny"],
    ["DENY", "deny"],
    ["Always", "allow"],
    ["0", undefined],
    ["4", undefined],
    ["01", "allow"],
    ["1 please", undefined],
    ["allow it", undefined],
    ["yes", undefined],
    ["1\n2", undefined],
    ["", undefined]
  ])("decides a request whose choices are numbered: %j", (text, decision) => {
    assert.deepStrictEqual<unknown>(read(request("1"), text), decision)
  })

  it("decides no request that has buttons", () => {
    for (const text of ["1", "Allow", "deny"]) assert.isUndefined(read(request("1"), text, false))
  })

  it.each([
    ["2", ["Blue"]],
    ["blue", ["Blue"]],
    ["  BLUE  ", ["Blue"]],
    ["green, as grass", ["green, as grass"]],
    ["3", ["3"]],
    ["   ", undefined],
    ["x".repeat(4001), undefined]
  ])("answers a question that takes a text: %j", (text, labels) => {
    for (const isNumbered of [true, false]) assert.deepStrictEqual(read(question("1"), text, isNumbered), labels)
  })

  it.each([
    ["1, 3", ["S", "L"]],
    ["1 3", ["S", "L"]],
    ["s; m", ["S", "M"]],
    ["2,2", ["M"]],
    ["1, 7", undefined],
    ["none", undefined]
  ])("chooses several where that is asked: %j", (text, labels) => {
    assert.deepStrictEqual(read(question("1", sizes), text), labels)
  })

  it("chooses none of two options of the same name by it", () => {
    const twice = { ...colour, options: [{ label: "Red" }, { label: "red" }], freeText: false }
    assert.isUndefined(read(question("1", twice), "red"))
    assert.deepStrictEqual(read(question("1", twice), "2"), ["red"])
  })

  it("answers a question without options, whatever it takes", () => {
    const open = { ...colour, options: [], freeText: false }
    assert.deepStrictEqual(read(question("1", open), "1"), ["1"])
  })
})
