/** The report of an error that ends the host: its place, and nothing of its text. */
import { describe, expect, it } from "vitest"
import { crashText } from "../../../src/program/serve/perform.ts"

const secret = "123:s3cret"

/** With a line that looks as if it were of the stack. */
const message = `asked ${secret}\n    at s3cret (file:///s3cret.js:1:1)`

describe("an error that ends the host", () => {
  it("is told by its class, its code, and its place", () => {
    const text = crashText(Object.assign(new TypeError("x"), { code: "ECONNRESET" }))
    expect(text).toMatch(
      /^Internal error, which ends the host \(TypeError, ECONNRESET\); .*\n {4}at .*crash\.test\.ts:\d+/
    )
    expect(text.split("\n").length).toBeLessThanOrEqual(11)
    expect(crashText(new Error())).toContain("crash.test.ts")
  })

  it.each([
    ["in its message", () => new Error(message)],
    ["in its name and its code", () => Object.assign(new Error(message), { name: message, code: secret })],
    ["in a field and its cause", () => Object.assign(new Error("x", { cause: new Error(message) }), { given: secret })],
    ["in a stack of its own", () => Object.assign(new Error("x"), { stack: message })],
    ["and it is not an error", () => message],
    ["and it is an object", () => ({ message, stack: `\n    at a (file:///s3cret.js:1:1)` })]
  ])("has nothing secret, where that is %s", (_, make) => {
    expect(crashText(make())).not.toContain("s3cret")
  })
})
