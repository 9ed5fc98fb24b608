/** Choices of a client, as modes and options of the protocol. */
import { assert, describe, it } from "vitest"
import { type Chosen, choicesOf, configOptionsOf, modelOf, modeOf } from "../../../src/api/acpServer/choices.ts"
import { assertConforms } from "./schema.ts"

const chosen: Chosen = { initial: "default", mode: "plan", model: undefined, models: [] }
const listed: Chosen = {
  ...chosen,
  models: [
    { id: "large", name: "The\nlarge one", description: "slow" },
    { id: "small", isDefault: true }
  ]
}

const modelOption = (of: Chosen) => {
  const option = configOptionsOf(of)[1]
  return [option?.currentValue, option?.options.map(({ value }) => value)]
}

describe("the choices of a session", () => {
  it("are of the protocol", () => {
    for (const each of [chosen, listed]) assertConforms("NewSessionResponse", { sessionId: "s", ...choicesOf(each) })
  })

  it("have no models before the CLI has listed them", () => {
    assert.deepStrictEqual(
      configOptionsOf(chosen).map(({ id }) => id),
      ["mode"]
    )
  })

  it.each<readonly [string, Chosen, ReadonlyArray<unknown>]>([
    ["its own default", listed, ["small", ["large", "small"]]],
    ["the one that was chosen", { ...listed, model: "large" }, ["large", ["large", "small"]]],
    ["one that is not listed", { ...listed, model: "mine" }, ["mine", ["mine", "large", "small"]]],
    ["one without a name", { ...listed, models: [{ id: "large" }] }, ["default", ["default", "large"]]]
  ])("have the present model: %s", (_, of, expected) => {
    assert.deepStrictEqual(modelOption(of), [...expected])
  })

  it("are bounded", () => {
    const models = Array.from({ length: 10_000 }, (_, index) => ({ id: `m${index}`, description: "x".repeat(10_000) }))
    assert.isBelow(JSON.stringify(choicesOf({ ...chosen, models })).length, 120_000)
  })

  it("are all that can be chosen", () => {
    assert.strictEqual(modelOf(listed, "large"), "large")
    assert.isUndefined(modelOf(listed, "mine"))
    assert.strictEqual(modeOf("default", "plan"), "plan")
    assert.isUndefined(modeOf("default", "bypass"))
    assert.isUndefined(modeOf("plan", "bypass"))
    assert.strictEqual(modeOf("bypass", "bypass"), "bypass")
  })
})
