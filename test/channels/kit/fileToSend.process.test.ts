/** Files that go with a message: the same checks for every channel. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { boundedMap } from "../../../src/channels/kit/boundedMap.ts"
import { fileToSend } from "../../../src/channels/kit/fileToSend.ts"

const folder = mkdtempSync(join(tmpdir(), "reins-files-"))
afterAll(() => rmSync(folder, { recursive: true }))
const fileOf = (name: string, content: string) => {
  writeFileSync(join(folder, name), content)
  return join(folder, name)
}
const limits = { service: "Slack", mostBytes: 5 }

describe("a file to send", () => {
  it.effect("has its name, size and content", () =>
    Effect.gen(function* () {
      const { name, bytes, content } = yield* fileToSend(fileOf("a.txt", "12345"), limits)
      const blob = yield* content("text/plain")
      assert.deepStrictEqual([name, bytes, blob.type], ["a.txt", 5, "text/plain"])
      assert.strictEqual(yield* Effect.promise(() => blob.text()), "12345")
    })
  )

  it.effect.each([
    ["missing", () => join(folder, "none"), "the file is missing"],
    ["a directory", () => folder, "it is not a file"],
    ["empty", () => fileOf("empty", ""), "the file is empty"],
    ["too large", () => fileOf("large", "123456"), "the file is larger than Slack takes"]
  ] as const)("is refused where it is %s", ([, path, description]) =>
    Effect.gen(function* () {
      const failure = yield* Effect.flip(fileToSend(path(), limits))
      assert.deepStrictEqual(failure.reason, { _tag: "Refused", description })
    })
  )
})

describe("a bounded map", () => {
  it("forgets what was set longest ago", () => {
    const map = boundedMap<number>(2)
    map.set("a", 1)
    map.set("b", 2)
    map.set("a", 3)
    map.set("c", 4)
    assert.deepStrictEqual([map.get("a"), map.has("b"), map.get("c")], [3, false, 4])
    map.delete("a")
    assert.isFalse(map.has("a"))
  })
})
