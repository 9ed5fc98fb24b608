/** Options with unknown values are refused by name, with the known values, before anything is started. */
import { describe, expect, it } from "vitest"
import { type CliId, clis } from "../../src/cli/clis.ts"
import { jsonSchemaProblem } from "../../src/contract/jsonSchema.ts"
import { type AgentError, type AgentExecuteParams, createAgent } from "../../src/promise.ts"

const refusalOf = async (id: CliId, way: "run" | "open", params: Partial<AgentExecuteParams>) => {
  await using agent = createAgent(id, { command: "/nowhere/reins-no-such-program" })
  const call = way === "run" ? agent.run({ prompt: "go", ...params }) : agent.open(params)
  return await call.then(
    () => undefined,
    ({ reason }: AgentError) => reason
  )
}

const ids = Object.keys(clis) as ReadonlyArray<CliId>

const efforts = {
  claude: "low, medium, high, xhigh, max",
  codex: "none, minimal, low, medium, high, xhigh, max, ultra",
  pi: "off, minimal, low, medium, high, xhigh, max"
} as const

describe.each(["run", "open"] as const)("effort of %s", (way) => {
  it.each(["claude", "codex", "pi"] as const)("%s: an unknown one is refused with the known ones", async (id) => {
    for (const effort of ["hugest", "", "High", " high", "-x"]) {
      const message = `effort: ${JSON.stringify(effort)} is not one of ${efforts[id]}`
      expect(await refusalOf(id, way, { effort })).toMatchObject({ _tag: "InvalidParams", option: "effort", message })
    }
    for (const effort of efforts[id].split(", ")) {
      expect(await refusalOf(id, way, { effort })).toMatchObject({ _tag: "NotInstalled" })
    }
  })

  it("opencode: the configuration names them", async () => {
    expect(await refusalOf("opencode", way, { effort: "mine" })).toMatchObject({ _tag: "NotInstalled" })
    expect(await refusalOf("opencode", way, { effort: " " })).toMatchObject({ _tag: "InvalidParams", option: "effort" })
  })

  it("gemini: is not supported", async () =>
    expect(await refusalOf("gemini", way, { effort: "high" })).toMatchObject({ _tag: "UnsupportedOption" }))
})

const wrong: ReadonlyArray<readonly [object, string]> = [
  [{ type: "strng" }, "/type is not one of array, boolean, integer, null, number, object, string, or a list of these"],
  [{ type: ["string", "nil"] }, "/type is not one of"],
  [{ type: [] }, "/type is not one of"],
  [{ type: 1 }, "/type is not one of"],
  [{ type: "object", properties: ["a"] }, "/properties is not an object of schemas"],
  [{ type: "object", properties: { a: "string" } }, "/properties/a is not a schema"],
  [{ type: "object", properties: { a: { type: "text" } } }, "/properties/a/type is not one of"],
  [{ properties: { "a/b~": { items: { type: "x" } } } }, "/properties/a~1b~0/items/type is not one of"],
  [{ required: "a" }, "/required is not a list of names"],
  [{ required: [1] }, "/required is not a list of names"],
  [{ items: "string" }, "/items is not a schema"],
  [{ items: [{ type: "x" }] }, "/items/0/type is not one of"],
  [{ anyOf: {} }, "/anyOf is not a list of schemas"],
  [{ allOf: [] }, "/allOf is not a list of schemas"],
  [{ oneOf: [true, null] }, "/oneOf/1 is not a schema"],
  [{ enum: "a" }, "/enum is not a list"],
  [{ minLength: -1 }, "/minLength is not a whole number of at least 0"],
  [{ maxItems: 1.5 }, "/maxItems is not a whole number of at least 0"],
  [{ minimum: "1" }, "/minimum is not a number"],
  [{ multipleOf: 0 }, "/multipleOf is not a number above 0"],
  [{ pattern: "(" }, "/pattern is not a regular expression"],
  [{ $ref: 1 }, "/$ref is not a text"],
  [{ $defs: { a: 1 } }, "/$defs/a is not a schema"],
  [{ additionalProperties: "no" }, "/additionalProperties is not a schema"],
  [{ not: [] }, "/not is not a schema"]
]

describe("an outputSchema that is not a JSON Schema", () => {
  it.each(wrong)("%j", (schema, problem) => expect(jsonSchemaProblem(schema)).toContain(problem))

  it.each(ids.filter((id) => clis[id].supports.has("outputSchema")))("is refused for a run of %s", async (id) => {
    const outputSchema = { type: "object", properties: { a: { type: "text" } } }
    const reason = await refusalOf(id, "run", { outputSchema })
    expect(reason).toMatchObject({ _tag: "InvalidParams", option: "outputSchema" })
    expect(reason?.message).toContain("/properties/a/type is not one of array, boolean")
    expect(await refusalOf(id, "run", { outputSchema: { type: "object" } })).toMatchObject({ _tag: "NotInstalled" })
  })

  it("is found at any depth, even in a circular schema", () => {
    const circle: Record<string, unknown> = {}
    circle["not"] = circle
    expect(jsonSchemaProblem(circle)).toMatch(/is nested more than 200 deep$/)
    const long = JSON.parse(`${'{"items":'.repeat(9_000)}{}${"}".repeat(9_000)}`)
    expect(jsonSchemaProblem(long)).toMatch(/is nested more than 200 deep$/)
    expect(jsonSchemaProblem(long)?.length).toBeLessThanOrEqual(301)
  })
})

describe("an outputSchema that is a JSON Schema", () => {
  it.each([
    {},
    { type: "object", properties: { a: { type: ["string", "null"] } }, required: ["a"], additionalProperties: false },
    {
      $schema: "http://json-schema.org/draft-07/schema#",
      definitions: { a: true },
      items: [{ $ref: "#/definitions/a" }]
    },
    { $defs: { a: { enum: [1, null, {}] } }, prefixItems: [{ $ref: "#/$defs/a" }], minItems: 0, uniqueItems: true },
    { anyOf: [{ const: 1 }, { type: "number", multipleOf: 0.1, exclusiveMinimum: -1 }], "x-mine": { type: "text" } },
    { type: "string", pattern: "^\\p{L}+$", format: "mine", minLength: 1, default: { type: "text" } },
    { properties: { type: { type: "string" }, enum: { type: "string" }, required: true }, examples: [{ type: 1 }] }
  ])("%j", (schema) => expect(jsonSchemaProblem(schema)).toBeUndefined())
})
