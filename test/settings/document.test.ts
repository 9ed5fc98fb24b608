import { assert, describe, it } from "@effect/vitest"
import { Option } from "effect"
import { findMember, isObject, membersOf, readDocument, readValue, sourceOf } from "../../src/settings/document.ts"
import { settings } from "./generate.ts"

const read = (text: string) => Option.getOrThrow(readDocument(text))

describe("settings that are read", () => {
  it.each([
    ["{}", []],
    [' // first\n{ "a" /* x */ : /* y */ 1 } // last', [["a", "1"]]],
    [
      '{"a":{"b":[1,{"c":"}"}]},"d":"\\"","e":[]}',
      [
        ["a", '{"b":[1,{"c":"}"}]}'],
        ["d", '"\\""'],
        ["e", "[]"]
      ]
    ],
    ['{"a": /* about */ { // mine\n "b": -1.5e3 /* c */ } }', [["a", '{ // mine\n "b": -1.5e3 /* c */ }']]],
    [
      '{"url": "http://x/*y*/", "n": null}',
      [
        ["url", '"http://x/*y*/"'],
        ["n", "null"]
      ]
    ]
  ])("%s", (text, expected) => {
    const document = read(text)
    const found = membersOf(document, document.root).map((member) => [member.name, sourceOf(document, member)])
    assert.deepStrictEqual(found, expected)
  })

  it("the last of two members of one name counts", () => {
    const document = read('{"a": 1, "\\u0061": 2}')
    const member = findMember(document, document.root, "a")
    assert.strictEqual(member && readValue(document, member), 2)
  })

  it.prop("every member is found with its value, whatever the form", [settings], ([{ text, value }]) => {
    const document = read(text)
    for (const [name, expected] of Object.entries(value)) {
      const member = findMember(document, document.root, name)
      assert.isDefined(member)
      if (member === undefined) return
      assert.deepStrictEqual(readValue(document, member), expected)
      assert.strictEqual(
        isObject(document, member),
        typeof expected === "object" && !Array.isArray(expected) && expected !== null
      )
    }
    assert.strictEqual(
      new Set(membersOf(document, document.root).map(({ name }) => name)).size,
      Object.keys(value).length
    )
  })
})

describe("settings that are refused", () => {
  it.each([
    "", " ", "// only a comment", "[]", "null", '"text"', "{", "{} {}", '{"a": 1,}', '{"a": [1,]}', "{a: 1}",
    "{'a': 1}", '{"a": 1 /* open }', "\uFEFF{}", '{"a": tr/**/ue}', '{"a": 01}', '# no\n{}'
  ])("%j", (text) => assert.isTrue(Option.isNone(readDocument(text)))) // biome-ignore format: one list
})
