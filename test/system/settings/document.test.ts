import { assert, describe, it } from "@effect/vitest"
import { Option } from "effect"
import { type Document, type Member, membersOf, readDocument } from "../../../src/system/settings/document.ts"
import { settings } from "./generate.ts"

const read = (text: string) => Option.getOrThrow(readDocument(text))

const sourceOf = ({ text }: Document, { valueStart, end }: Member) => text.slice(valueStart, end)
const parsedValue = ({ plain }: Document, { valueStart, end }: Member): unknown =>
  JSON.parse(plain.slice(valueStart, end))

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

  it("two members of one name are both found, in their order", () => {
    const document = read('{"a": 1, "\\u0061": 2}')
    const found = membersOf(document, document.root).map((member) => [member.name, sourceOf(document, member)])
    assert.deepStrictEqual(found, [
      ["a", "1"],
      ["a", "2"]
    ])
  })

  it.prop("every member is found with its value, whatever the form", [settings], ([{ text, value }]) => {
    const document = read(text)
    const members = membersOf(document, document.root)
    for (const [name, expected] of Object.entries(value)) {
      const member = members.findLast((each) => each.name === name)
      assert.deepStrictEqual(member && parsedValue(document, member), expected)
    }
    assert.strictEqual(new Set(members.map(({ name }) => name)).size, Object.keys(value).length)
  })
})

describe("settings that are refused", () => {
  it.each([
    "", " ", "// only a comment", "[]", "null", '"text"', "{", "{} {}", '{"a": 1,}', '{"a": [1,]}', "{a: 1}",
    "{'a': 1}", '{"a": 1 /* open }', "\uFEFF{}", '{"a": tr/**/ue}', '{"a": 01}', '# no\n{}'
  ])("%j", (text) => assert.isTrue(Option.isNone(readDocument(text)))) // biome-ignore format: one list
})
