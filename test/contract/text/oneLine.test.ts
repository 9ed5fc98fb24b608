/** A text on one line: harmless, cut between characters, and unchanged by a second pass. */
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { cutAt, shortLine } from "../../../src/contract/text/harmless.ts"
import { runs } from "../../kit/runs.ts"

describe("a short line", () => {
  for (const [text, length, expected] of [
    [" a\n\tb  c ", 10, "a b c"],
    ["abcdef", 6, "abcdef"],
    ["abcdefg", 6, "abcde…"],
    ["abcd🙂g", 6, "abcd…"],
    ["ab👩‍👩‍👧", 6, "ab👩…"],
    [`a${" ".repeat(100)}b`, 10, "a…"],
    ["\u001b[31m", 20, "\\u001b[31m"]
  ] as const) {
    it(JSON.stringify(text.slice(0, 20)), () => assert.strictEqual(shortLine(text, length), expected))
  }

  const text = Schema.Array(Schema.Literals(["a", " ", "\n", "🙂", "👩‍👩‍👧", "\u202e", "1️⃣", "é"]))
  it.prop(
    "is not changed by a second pass",
    [text],
    ([parts]) => {
      const line = shortLine(parts.join(""), 20)
      assert.isAtMost(line.length, 20)
      assert.strictEqual(shortLine(line, 20), line)
    },
    runs(500)
  )
})

describe("a cut", () => {
  it("never splits a character", () => assert.deepStrictEqual(cutAt("a🙂b", 2), { head: "a", rest: 3 }))
})
