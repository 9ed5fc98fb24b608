/** `redacted(text)`: nothing shows the text. Other copies of Effect are tested in `test/package`. */
import { inspect } from "node:util"
import { Redacted } from "effect"
import { assert, it } from "vitest"
import { reveal } from "../../src/contract/Redacted.ts"
import { redacted } from "../../src/promise.ts"

const secret = redacted("a secret")

it.each([
  ["a template", `${secret}`],
  ["String", String(secret)],
  ["JSON", JSON.stringify({ secret })],
  ["inspect", inspect({ secret })],
  ["inspect of everything", inspect(secret, { showHidden: true, depth: 9, getters: true })],
  ["format", inspect([secret])]
])("%s does not show the text", (_, printed) => {
  assert.include(printed, "<redacted>")
  assert.notInclude(printed, "a secret")
})

it("is not in the state of the host", () => {
  const state = Object.getOwnPropertySymbols(globalThis).map((key) => Reflect.get(globalThis, key))
  assert.notInclude(inspect(state, { showHidden: true, depth: 9 }), "a secret")
})

it("is read by options that take secrets, like that of Effect", () => {
  assert.strictEqual(reveal(secret), "a secret")
  assert.strictEqual(reveal(Redacted.make("another")), "another")
  assert.isTrue(Redacted.isRedacted(secret))
})

it("takes only texts", () => {
  assert.throws(() => redacted(5 as never), TypeError, "redacted: its argument is not a text")
})
