/** `instanceof` across copies: it holds for instances of another copy, and not for forged JSON. */
import { assert, describe, it } from "vitest"
import { AgentError, Exited, Killed } from "../../src/contract/AgentError.ts"
import { acrossCopies, hostWide } from "../../src/contract/acrossCopies.ts"

/** The class of another copy of the package. */
const copyOf = (name: string) => {
  class Copy {}
  acrossCopies(Copy, name)
  return Copy
}
const ofCopy = (name: string) => new (copyOf(name))()

describe("instanceof", () => {
  it("holds for the same class of another copy, and for no other class", () => {
    assert.isTrue(ofCopy("AgentError") instanceof AgentError)
    assert.isFalse(ofCopy("AgentsError") instanceof AgentError)
    const exited = new Exited({ exitCode: 1, category: "crash", stderr: "" })
    assert.isTrue(exited instanceof copyOf("Exited"))
    assert.isTrue(exited instanceof Error)
    assert.isFalse(exited instanceof Killed)
  })

  it("is not deceived by JSON, whose keys are texts", () => {
    const names = [
      "Symbol(reins/AgentError)",
      "reins/AgentError",
      "@@reins/AgentError",
      "_tag",
      "~effect/Schema/Class/AgentError"
    ]
    const forged = JSON.parse(`{ ${names.map((name) => `${JSON.stringify(name)}: "AgentError"`).join(", ")} }`)
    for (const value of [forged, { __proto__: forged }, [forged], "AgentError", null, undefined, 5]) {
      assert.isFalse(value instanceof AgentError)
    }
  })

  it("of a subclass holds for its own instances only", () => {
    class Mine extends Exited {}
    const fields = { exitCode: 1, category: "crash", stderr: "" } as const
    assert.isFalse(new Exited(fields) instanceof Mine)
    assert.isTrue(new Mine(fields) instanceof Mine)
    assert.isTrue(new Mine(fields) instanceof Exited)
  })
})

describe("hostWide", () => {
  it("returns the value of the first copy, and another one for another shape", () => {
    const made = hostWide("of-a-test@1", () => ({}))
    assert.strictEqual(
      hostWide("of-a-test@1", () => ({})),
      made
    )
    assert.notStrictEqual(
      hostWide("of-a-test@2", () => ({})),
      made
    )
    assert.notInclude(Object.keys(globalThis).join(), "of-a-test")
  })
})
