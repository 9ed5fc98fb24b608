/** Marks of chats and updates that were heard: bounded, and what is stored is not trusted. */
import { describe, expect, it } from "@effect/vitest"
import { Schema } from "effect"
import { isNewer, makeMarks, readMark } from "../../../src/channels/kit/marks.ts"
import { makeOnce } from "../../../src/channels/kit/once.ts"

describe("marks", () => {
  it("keep the newest message of each place, and say the places heard last first", () => {
    const marks = makeMarks(undefined)
    marks.hear("C1", "1700000000.000200")
    marks.hear("C2", "1700000000.000300")
    marks.hear("C1", "1700000000.000100")
    expect(marks.places()).toEqual([
      ["C1", "1700000000.000200"],
      ["C2", "1700000000.000300"]
    ])
    marks.forget("C1")
    expect(marks.value()).toEqual({ C2: "1700000000.000300" })
  })

  it("are read on as they were stored, by number and not as texts", () => {
    const marks = makeMarks({ a: "99", b: "5" })
    marks.hear("a", "100")
    expect(makeMarks(readMark(JSON.stringify(marks.value()))).places()).toEqual(marks.places())
    expect(marks.places()).toEqual([
      ["a", "100"],
      ["b", "5"]
    ])
    expect([isNewer("100", "99"), isNewer("99", "100"), isNewer("9", "9")]).toEqual([true, false, false])
  })

  it("stay within 8 kB after 500 chats, and lose the ones heard first", () => {
    const marks = makeMarks(undefined)
    for (let chat = 0; chat < 500; chat++) marks.hear(`C${"0".repeat(100)}${chat}`, "1700000000.000100")
    expect(JSON.stringify(marks.value()).length).toBeLessThanOrEqual(8_000)
    const { length } = marks.places()
    expect([length, marks.places()[0]?.[0].endsWith("499"), marks.places()[99]?.[0].endsWith("400")]).toEqual([
      100,
      true,
      true
    ])
  })

  it.prop(
    "take any stored value",
    { stored: Schema.Union([Schema.Json, Schema.Record(Schema.String, Schema.String)]) },
    ({ stored }) => {
      const value = makeMarks(stored).value()
      expect(JSON.stringify(value).length).toBeLessThanOrEqual(8_000)
      for (const [place, id] of Object.entries(value)) expect(`${place}${id}`).toMatch(/^[\x21-\x7e]+$/)
    }
  )

  it("are read from JSON alone", () => {
    expect([readMark(undefined), readMark("{"), readMark('{"a":1}')]).toEqual([undefined, undefined, { a: 1 }])
  })
})

describe("updates that were heard", () => {
  it("are new once, and again when they are forgotten", () => {
    const isNew = makeOnce(2)
    expect(["a", "a", "b", "c", "a", "c"].map(isNew)).toEqual([true, false, true, true, true, false])
  })
})
