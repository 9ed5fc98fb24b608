/** Templates: the parts of a text, what is wrong with one, and the values of paths. */
import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import {
  mostValues,
  parseTemplate,
  printTemplate,
  type TemplatePart,
  valueIn
} from "../../../src/contract/text/template.ts"

const problemOf = (text: string) =>
  Result.match(parseTemplate(text), { onSuccess: () => "", onFailure: (found) => found })

describe("a template", () => {
  it.each<readonly [string, ReadonlyArray<TemplatePart>]>([
    ["", []],
    ["review it", [{ _tag: "Text", text: "review it" }]],
    ["{{a}}", [{ _tag: "Value", path: ["a"] }]],
    [
      "Look at {{ pull_request.title }}:\n{{commits.0.id}}",
      [
        { _tag: "Text", text: "Look at " },
        { _tag: "Value", path: ["pull_request", "title"] },
        { _tag: "Text", text: ":\n" },
        { _tag: "Value", path: ["commits", "0", "id"] }
      ]
    ],
    // A single brace, and one that closes nothing, are text.
    ['{"a":{"b":1}}', [{ _tag: "Text", text: '{"a":{"b":1}}' }]],
    ["{{__proto__.x-y}}", [{ _tag: "Value", path: ["__proto__", "x-y"] }]]
  ])("%j", (text, parts) => {
    assert.deepStrictEqual(parseTemplate(text), Result.succeed(parts))
  })

  it.each([
    ["a\nb {{a.b", "has {{ without }} behind it, in its line 2: close it, as in {{pull_request.title}}"],
    ["{{}}", 'has "{{}}", which names no field: write its path, as in {{pull_request.title}}'],
    ["{{ }}", 'has "{{ }}", which names no field: write its path, as in {{pull_request.title}}'],
    ...["a..b", ".a", "a.", "a b", "a[0]", "{a}", "a.é", "#if a", "a|upper", "a\nb", "x".repeat(201)].map((path) => [
      `{{${path}}}`,
      `has ${JSON.stringify(`{{${path.slice(0, 60).replace(/^\{a\}$/, "{a")}}}`)}, which is not a path: names with dots between them, as in {{pull_request.title}} or {{commits.0.id}}`
    ]),
    ["{{a}}".repeat(mostValues + 1), "has 21 fields in {{ }}: at most 20 are possible"]
  ])("%j is refused with its cure", (text, problem) => {
    assert.strictEqual(problemOf(text), problem)
  })

  const name = Schema.String.check(Schema.isPattern(/^[A-Za-z0-9_-]{1,8}$/))
  const Part = Schema.Union([
    Schema.TaggedStruct("Text", { text: Schema.String.check(Schema.isPattern(/^[^{]+$/)) }),
    Schema.TaggedStruct("Value", { path: Schema.NonEmptyArray(name) })
  ])

  it.prop(
    "is the same after it was printed and parsed",
    { parts: Schema.Array(Part).check(Schema.isMaxLength(mostValues)) },
    ({ parts }) => {
      // Neighbouring texts are one.
      const merged: Array<TemplatePart> = []
      for (const part of parts) {
        const last = merged.at(-1)
        if (part._tag === "Text" && last?._tag === "Text")
          merged.splice(-1, 1, { ...part, text: last.text + part.text })
        else merged.push(part)
      }
      assert.deepStrictEqual(parseTemplate(printTemplate(merged)), Result.succeed(merged))
    }
  )

  it.prop(
    "of any text never throws, and prints a text that parses to the same",
    { text: Schema.String },
    ({ text }) => {
      const parsed = parseTemplate(text)
      if (Result.isSuccess(parsed)) assert.deepStrictEqual(parseTemplate(printTemplate(parsed.success)), parsed)
    }
  )
})

describe("the value of a path", () => {
  const document = JSON.parse(
    `{"a":{"b":[{"c":1},null,false]},"text":"long","__proto__":{"own":2},"empty":"","n":null,"constructor":"mine"}`
  )

  it.each<readonly [string, unknown]>([
    ["a.b.0.c", 1],
    ["a.b.1", null],
    ["a.b.2", false],
    ["n", null],
    ["empty", ""],
    ["__proto__.own", 2],
    ["constructor", "mine"],
    // Missing: nothing of a prototype, of a text or of a list counts.
    ["a.b.3", undefined],
    ["a.b.length", undefined],
    ["a.b.-1", undefined],
    ["a.b.0.c.d", undefined],
    ["n.x", undefined],
    ["text.length", undefined],
    ["text.0", undefined],
    ["a.__proto__", undefined],
    ["a.constructor", undefined],
    ["a.toString", undefined],
    ["a.b.constructor.prototype", undefined],
    ["a.hasOwnProperty", undefined]
  ])("%s", (path, value) => {
    assert.deepStrictEqual(valueIn(document, path.split(".")), value)
  })

  it.each([null, 1, "text", true, []])("is missing in %j", (input) => {
    assert.isUndefined(valueIn(input, ["a"]))
    assert.isUndefined(valueIn(input, ["constructor"]))
  })
})
