/** The JSON value of an answer that is text. */
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { jsonInText, longestAnswer } from "../../../src/agents/answers/jsonInText.ts"
import { runs } from "../../kit/runs.ts"

const fence = "```"

describe("finds", () => {
  it.each<readonly [string, string, unknown]>([
    ["the whole text", '{"a":1}', { a: 1 }],
    ["with blanks around", ' \n{"a":1}\n', { a: 1 }],
    ["null", "null", null],
    ["false", "false", false],
    ["a block", `Here:\n${fence}json\n{"a":1}\n${fence}\nDone.`, { a: 1 }],
    ["a block without a language", `${fence}\n[1]\n${fence}`, [1]],
    ["a block of tildes", `~~~\n[1]\n~~~`, [1]],
    ["a longer fence", `${fence}${fence}\n"${fence}"\n${fence}${fence}`, fence],
    ["a block that is not closed", `${fence}json\n{"a":1}`, { a: 1 }],
    ["the last of two blocks", `${fence}\n1\n${fence}\n${fence}\n2\n${fence}`, 2],
    ["the last that is JSON", `${fence}\n1\n${fence}\n${fence}sh\nls\n${fence}`, 1],
    ["a block with carriage returns", `${fence}json\r\n{"a":1}\r\n${fence}\r\n`, { a: 1 }],
    ["an indented block", `  ${fence}json\n  {"a":1}\n  ${fence}`, { a: 1 }]
  ])("%s", (_, text, value) => {
    assert.deepStrictEqual(jsonInText(text), value)
  })
})

describe("finds nothing in", () => {
  it.each([
    ["prose", "There are three files."],
    ["nothing", ""],
    ["prose before a value", 'Here: {"a":1}'],
    ["an expression", `${fence}js\n({ a: process.exit(1) })\n${fence}`],
    ["a value that is cut off", '{"a":'],
    ["a value nested too deeply", "[".repeat(100_000) + "]".repeat(100_000)],
    ["a text that is too long", `"${"x".repeat(longestAnswer)}"`]
  ])("%s", (_, text) => {
    assert.isUndefined(jsonInText(text))
  })
})

it("a text full of fences costs no more than its length", () => {
  const before = performance.now()
  assert.isUndefined(jsonInText(`${fence}x\n`.repeat(200_000)))
  assert.isBelow(performance.now() - before, 5_000)
})

const withoutFences = (text: string) => text.replaceAll(/[`~]/g, "")

it.prop(
  "any JSON value in a block inside of prose, and by itself",
  [Schema.Json, Schema.String, Schema.String, Schema.Literals([0, 2])],
  ([value, before, after, indent]) => {
    const json = JSON.stringify(value, undefined, indent)
    for (const text of [json, `x ${withoutFences(before)}\n${fence}json\n${json}\n${fence}\n${withoutFences(after)}`]) {
      assert.strictEqual(JSON.stringify(jsonInText(text)), JSON.stringify(JSON.parse(json)))
    }
  },
  runs(200)
)
