/** `redacted(text)`: nothing shows the text. Other copies of Effect are in `test/package`. */
import { inspect } from "node:util"
import { assert, it } from "@effect/vitest"
import { Redacted } from "effect"
import { reveal } from "../../src/contract/checkInput.ts"
import { redacted } from "../../src/promise.ts"

const secret = redacted("a secret")

it.each([
  ["a template", `${secret}`],
  ["String", String(secret)],
  ["JSON", JSON.stringify({ secret })],
  ["inspect", inspect({ secret })],
  ["inspect of everything", inspect(secret, { showHidden: true, depth: 9, getters: true })],
  ["format", inspect([secret])]
])("%s shows no text", (_, shown) => {
  assert.include(shown, "<redacted>")
  assert.notInclude(shown, "a secret")
})

it("is in nothing that the host has of it", () => {
  const kept = Object.getOwnPropertySymbols(globalThis).map((key) => Reflect.get(globalThis, key))
  assert.notInclude(inspect(kept, { showHidden: true, depth: 9 }), "a secret")
})

it("is read by what takes secrets, as that of Effect is", () => {
  assert.strictEqual(reveal(secret), "a secret")
  assert.strictEqual(reveal(Redacted.make("another")), "another")
  assert.isTrue(Redacted.isRedacted(secret))
})

it("is made of a text alone", () => {
  assert.throws(() => redacted(5 as never), TypeError, "redacted: its argument is not a text")
})
