/** Requests and answers between pages, as the other reads them: untrusted, and of other versions. */
import { assert, describe, it } from "@effect/vitest"
import { Option } from "effect"
import { readAnswer, readRequest, requestText } from "../../../../src/channels/web/peers/request.ts"

const uuid = () => crypto.randomUUID()

describe("an answer of another page", () => {
  it.each([
    ["a problem of another form", { problem: { status: 503, error: "later", retryAfterS: 0.5 } }],
    ["a problem with an invalid status", { problem: { status: 200, error: "" } }],
    ["nothing", {}],
    ["what is of another version", { text: "allowed" }],
    ["more pieces than any file has", { done: { pieces: 1_000_000_000 } }],
    ["what is without end", { done: { text: "a".repeat(5_000_000) } }]
  ])("that is %s says nothing", (_, answer) => {
    assert.isTrue(Option.isNone(readAnswer(JSON.stringify(answer))))
  })

  it("is read with members that are not known here", () => {
    const answer = readAnswer(JSON.stringify({ done: { text: "allowed", mood: "good" } }))
    assert.deepStrictEqual(Option.getOrThrow(answer), { done: { text: "allowed" } })
  })
})

describe("a request", () => {
  it("is of a person with many roles and a long name, too", () => {
    const person = { id: "ann", name: "a".repeat(5_000), roles: Array.from({ length: 500 }, (_, at) => `role ${at}`) }
    const input = { person, act: { do: "file", file: uuid() } } as const
    assert.deepStrictEqual(Option.getOrThrow(readRequest(requestText(input))), input)
    const others = Array.from({ length: 5_000 }, () => "a".repeat(1_000))
    assert.isTrue(Option.isNone(readRequest(requestText({ ...input, person: { ...person, roles: others } }))))
  })
})
