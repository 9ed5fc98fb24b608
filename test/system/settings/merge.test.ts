import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Option, Result, type Schema } from "effect"
import { readDocument } from "../../../src/system/settings/document.ts"
import { merge, type Patch, withdraw } from "../../../src/system/settings/merge.ts"
import { patch as anyPatch, hasRoom, settings } from "./generate.ts"

const server = { command: "node" }
const mine: Patch = { servers: { mine: server } }

const jsonOf = (text: string) => JSON.parse(Option.getOrThrow(readDocument(text)).plain)
/** `Object.entries` would write a member `__proto__` in another way. */
const objectOf = (value: unknown): Record<string, Schema.Json> => Object.assign(Object.create(null), value)

/** Any file, and a patch that it has room for. */
const fitting = Arbitrary.filter(Arbitrary.all({ file: settings, patch: anyPatch }), ({ file, patch }) =>
  hasRoom(file, Object.keys(patch))
)

describe("members are put into a text", () => {
  it.each([
    ["{}", '{"servers": {"mine": {"command":"node"}}}'],
    ["{\n}\n", '{\n  "servers": {"mine": {"command":"node"}}\n}\n'],
    ['{ "a": 1 }', '{ "a": 1, "servers": {"mine": {"command":"node"}} }'],
    ['{\n\t"a": 1 // one\n}', '{\n\t"a": 1,\n\t"servers": {"mine": {"command":"node"}} // one\n}'],
    ['{"servers": {}}', '{"servers": {"mine": {"command":"node"}}}'],
    ['{"servers": { /* none */ }}', '{"servers": {"mine": {"command":"node"} /* none */ }}'],
    ['{\n  "servers": {\n  }\n}', '{\n  "servers": {\n    "mine": {"command":"node"}\n  }\n}'],
    ['{"servers": {"a": 1}}', '{"servers": {"a": 1,"mine": {"command":"node"}}}'],
    ['{"servers": {"mine": /* old */ {"url": 1} }}', '{"servers": {"mine": /* old */ {"command":"node"} }}']
  ])("%s", (text, expected) => assert.deepStrictEqual(merge(text, [mine]), Result.succeed(expected)))

  it.each([
    ['{"servers": []}', 'has a "servers" that is not an object'],
    ['{"servers": null}', 'has a "servers" that is not an object'],
    ['{"a": 1,}', "is not a JSON object (comments are allowed, a trailing comma is not)"]
  ])("%s is refused", (text, problem) => assert.deepStrictEqual(merge(text, [mine]), Result.fail(problem)))

  it.prop("each section has the user's members and the new ones", [fitting], ([{ file, patch }]) => {
    const merged = objectOf(jsonOf(Result.getOrThrow(merge(file.text, [patch]))))
    const expected = objectOf(file.value)
    for (const [section, members] of Object.entries(patch)) {
      expected[section] = Object.fromEntries([...Object.entries(expected[section] ?? {}), ...Object.entries(members)])
    }
    assert.deepStrictEqual(merged, expected)
  })

  it.prop("nothing of the user's text is lost but values that are overlaid", [settings], ([{ text }]) => {
    const merged = Result.getOrThrow(merge(text, [{ "new section": { one: 1, two: 2 } }]))
    const rest = merged.replace(/,?[ \t\r\n]*"new section": \{"one": 1,"two": 2\}/, "")
    assert.strictEqual(rest, text)
  })
})

describe("members are taken out again", () => {
  it.prop("the text is the user's again, byte for byte", [fitting], ([{ file, patch }]) => {
    const merged = Result.getOrThrow(merge(file.text, [patch]))
    assert.deepStrictEqual(withdraw(merged, file.text, [patch]), Result.succeed(file.text))
  })

  it.prop("also when two patches were put in", [fitting, anyPatch], ([{ file, patch }, second]) => {
    const both = merge(file.text, [patch, second])
    if (Result.isFailure(both)) return
    assert.deepStrictEqual(withdraw(both.success, file.text, [patch, second]), Result.succeed(file.text))
  })

  it.prop("a text without them stays as it is", [settings, settings, anyPatch], ([now, before, patch]) => {
    const strange = Object.fromEntries(
      Object.entries(patch).map(([section, members]) => [
        section,
        Object.fromEntries(Object.keys(members).map((name) => [name, "a value that no file has"]))
      ])
    )
    const left = Result.getOrThrow(withdraw(now.text, before.text, [strange]))
    if (left !== now.text)
      assert.isTrue(Object.keys(patch).some((section) => /\{\s*\}/.test(JSON.stringify(now.value[section]))))
  })

  const input = '{\n  "theme": "dark", // mine\n  "servers": {\n    "a": 1\n  }\n}\n'
  const changed = Result.getOrThrow(merge(input, [mine]))
  it.each([
    ["a member is added at the end", '"servers": {', '"last": true,\n  "servers": {'],
    ["a value is changed", '"dark"', '"light"'],
    ["a comment is added", "// mine", "// mine and more"],
    ["a server is added behind", '"mine": {"command":"node"}', '"mine": {"command":"node"},\n    "b": 2'],
    ["a server is changed", '"a": 1', '"a": 3'],
    ["the blanks are changed", "\n}\n", "\n\n}"]
  ])("%s: the edit stays", (_, from, to) => {
    assert.include(changed, from)
    const edited = changed.replace(from, to)
    const expected = input.replace(from, to)
    const left = Result.getOrThrow(withdraw(edited, input, [mine]))
    if (expected === input) assert.strictEqual(left, input.replace('"a": 1', '"a": 1,\n    "b": 2'))
    else assert.strictEqual(left, expected)
  })

  it.each([
    ['{"servers": {"mine": {"command": "other"}}}', '{"servers": {"mine": {"command": "other"}}}'],
    ['{"servers": {}}', "{}"],
    ["{}", "{}"],
    ['{ // c\n "servers": {"mine": {"command":"node"}, "b": 1}}', '{ // c\n "servers": { "b": 1}}'],
    ['{"servers": {"a": 1, // one\n  "mine": {"command":"node"}}}', '{"servers": {"a": 1 // one\n  }}'],
    ['{"servers": {"a": 1 /* , */ , /* x */ "mine": {"command":"node"}}}', '{"servers": {"a": 1 /* , */  /* x */ }}'],
    ['{"servers": {"mine": { "command" : "node" } /* , */ , "b": 2}}', '{"servers": { /* , */  "b": 2}}'],
    ['{"servers": { // why\n"mine": {"command":"node"}}}', '{"servers": { // why\n}}'],
    ['{"servers": 5}', '{"servers": 5}']
  ])("from %s", (edited, left) => {
    assert.deepStrictEqual(withdraw(edited, undefined, [mine]), Result.succeed(left))
    assert.isTrue(Option.isSome(readDocument(left)))
  })

  it("what the user had under the name comes back as he wrote it", () => {
    const original = '{"servers": {"mine": { "url" : "x" /* old */ }}}'
    const edited = Result.getOrThrow(merge(original, [mine])).replace("{", '{"new": 1, ')
    assert.deepStrictEqual(withdraw(edited, original, [mine]), Result.succeed(original.replace("{", '{"new": 1, ')))
  })

  it.prop("an edited text stays JSON, with all that is not ours", [fitting, settings], ([{ file, patch }, other]) => {
    // The user replaces the text by one that also has what was put in, written in another way.
    const edited = merge(other.text, [patch])
    if (Result.isFailure(edited)) return
    const left = objectOf(jsonOf(Result.getOrThrow(withdraw(edited.success, file.text, [patch]))))
    for (const [name, value] of Object.entries(objectOf(other.value))) {
      if (Object.hasOwn(patch, name)) continue
      assert.deepStrictEqual(left[name], value)
    }
  })
})
