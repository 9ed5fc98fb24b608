/** JSON for peers is bounded in depth and size. */
import { assert, describe, it } from "vitest"
import { encodeJson, isJson, maxDepth } from "../../src/contract/json.ts"

const nested = (depth: number): unknown => JSON.parse(`${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`)

describe("JSON for a CLI", () => {
  const cyclic: { self?: unknown } = {}
  cyclic.self = cyclic
  let shared: unknown = [1]
  for (let depth = 0; depth < 60; depth++) shared = [shared, shared]

  it.each<[string, unknown, boolean]>([
    ["what tools are called with", { a: [1, "x", null, { b: true }] }, true],
    ["the deepest", nested(maxDepth), true],
    ["one deeper", nested(maxDepth + 1), false],
    ["far too deep", nested(100_000), false],
    ["a cycle", cyclic, false],
    ["the same a billion times", shared, false],
    ["a number that JSON does not have", { a: 1n }, false],
    ["a member that throws", Object.defineProperty({}, "a", { enumerable: true, get: () => assert.fail("no") }), false],
    ["nothing", undefined, false]
  ])("%s", (_, value, isGood) => assert.strictEqual(isJson(value), isGood))

  it("is one line, equal to that of `JSON.stringify`", () => {
    const value = { a: "x\ny" }
    assert.deepInclude(encodeJson(value), { success: JSON.stringify(value) })
  })
})
