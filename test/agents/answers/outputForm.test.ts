/** Every form of `outputSchema`: its JSON Schema, and what it makes of an answer. */
import { assert, describe, it } from "@effect/vitest"
import { toStandardJsonSchema } from "@valibot/to-json-schema"
import { type } from "arktype"
import { Effect, Fiber, Option, Result, Schema } from "effect"
import * as v from "valibot"
import { z } from "zod"
import { outputForm } from "../../../src/agents/answers/outputForm.ts"

const formOf = (schema: unknown) => Result.getOrThrow(outputForm(schema))
const read = (schema: unknown, value: unknown) => formOf(schema).read(value)

class Review extends Schema.Class<Review>("Review")({ files: Schema.Array(Schema.String) }) {}

const standard = (input: object) => ({ "~standard": { version: 1, vendor: "ours", ...input } })
const jsonSchema = { input: () => ({ type: "object" }) }

const right = { files: ["a"] }

const schemas: ReadonlyArray<readonly [string, unknown]> = [
  [
    "JSON Schema",
    { type: "object", properties: { files: { type: "array", items: { type: "string" } } }, required: ["files"] }
  ],
  ["Zod", z.object({ files: z.array(z.string()) })],
  ["Valibot", toStandardJsonSchema(v.object({ files: v.array(v.string()) }))],
  ["ArkType", type({ files: "string[]" })],
  ["Effect", Schema.Struct({ files: Schema.Array(Schema.String) })],
  ["a class of Effect", Review],
  ["Effect as a Standard Schema", Schema.toStandardJSONSchemaV1(Schema.toStandardSchemaV1(Review))]
]

describe.each(schemas)("%s", (_, schema) => {
  it("takes what matches", () => {
    assert.deepStrictEqual(JSON.stringify(Result.getOrThrow(read(schema, right))), JSON.stringify(right))
  })

  it("names the place and the problem of what does not", () => {
    const problems = Result.getOrThrow(Result.flip(read(schema, { files: ["a", 1] })))
    assert.lengthOf(problems, 1)
    assert.strictEqual(problems[0]?.path, "/files/1")
    assert.isAbove(problems[0]?.message.length ?? 0, 0)
    assert.isTrue(Result.isFailure(read(schema, "prose")))
  })

  it("gives JSON Schema", () => {
    const text = JSON.stringify(formOf(schema).jsonSchema)
    assert.include(text, '"files"')
    assert.include(text, '"required":["files"]')
  })
})

describe("the output is what the schema makes of the JSON value", () => {
  it("of Zod, with its defaults", () => {
    const schema = z.object({ name: z.string().transform((name) => name.length), level: z.number().default(3) })
    assert.deepStrictEqual(read(schema, { name: "abc" }), Result.succeed({ name: 3, level: 3 }))
    // Schema of the input, for the agent.
    assert.deepInclude(formOf(schema).jsonSchema, { required: ["name"] })
  })

  it("of Effect, from its JSON form", () => {
    const schema = Schema.Struct({ at: Schema.Date, note: Schema.Option(Schema.String) })
    const at = new Date(0)
    const answer = { at: at.toISOString(), note: { _tag: "None" } }
    assert.deepStrictEqual(read(schema, answer), Result.succeed({ at, note: Option.none() }))
  })

  it("of a class of Effect, an instance", () => {
    assert.instanceOf(Result.getOrThrow(read(Review, right)), Review)
  })
})

it("the objects of a library's schema take no other properties from an agent, and its check is its own", () => {
  const schema = z.object({ list: z.array(z.object({ a: z.string() })), any: z.record(z.string(), z.number()) })
  const { jsonSchema } = formOf(schema)
  assert.strictEqual(JSON.stringify(jsonSchema).split('"additionalProperties":false').length - 1, 2)
  assert.deepStrictEqual(read(schema, { list: [], any: {}, more: 1 }), Result.succeed({ list: [], any: {} }))
  // Parts that complete each other stay open.
  const parts = {
    allOf: [
      { type: "object", properties: { a: {} } },
      { type: "object", properties: { b: {} } }
    ]
  }
  const both = standard({ jsonSchema: { input: () => parts }, validate: () => ({ value: 1 }) })
  assert.deepStrictEqual(formOf(both).jsonSchema, parts)
})

const throwing = (message: string) => {
  throw new Error(message)
}

describe("is refused, with what to pass:", () => {
  it.each<readonly [string, unknown, RegExp]>([
    ["a schema of Valibot alone", v.object({}), /toStandardJsonSchema\(schema\)/],
    ["an older Zod", standard({ vendor: "zod", validate: () => ({ value: 1 }) }), /update Zod to 4\.2/],
    [
      "another library",
      standard({ validate: () => ({ value: 1 }) }),
      /schema of "ours" that gives no JSON Schema: pass a JSON Schema/
    ],
    ["no vendor", standard({ vendor: { toString: null } }), /"an unknown library" that gives no JSON Schema/],
    ["what has no JSON Schema", z.bigint(), /cannot make JSON Schema of it: BigInt/],
    [
      "a library without a JSON Schema",
      standard({ validate: () => ({}), jsonSchema: { input: () => 1 } }),
      /is not a JSON Schema/
    ],
    [
      "one whose JSON Schema is wrong",
      standard({ validate: () => ({}), jsonSchema: { input: () => ({ type: "text" }) } }),
      /one of array/
    ],
    ["no schema", 3, /is not a JSON Schema, Standard Schema or Effect Schema/],
    ["a list", [], /is not a JSON Schema/],
    ["no JSON", { type: 1n }, /Expected JSON/],
    ["a wrong JSON Schema", { type: "text" }, /\/type is not one of/],
    ["nothing", {}, /has no keyword of JSON Schema, such as "type"/],
    ["unknown keywords", { verdict: "string" }, /has no keyword of JSON Schema/],
    ["a schema in an object", { schema: { type: "object" } }, /pass what is in its "schema"$/],
    [
      "one with notes",
      { name: "x", description: "x", strict: true, schema: { type: "object" } },
      /pass what is in its "schema"$/
    ],
    ["one of Zod in an object", { schema: z.string() }, /pass what is in its "schema"$/],
    ["one of Effect in an object", { schema: Schema.String }, /pass what is in its "schema"$/],
    ["schemas by name", { verdict: z.string() }, /object of schemas, .* such as z\.object\(\{ verdict: … \}\)$/],
    ["schemas of Effect by name", { type: Schema.String }, /such as Schema\.Struct\(\{ type: … \}\)$/]
  ])("%s", (_, schema, message) => {
    const refused = Result.getOrThrow(Result.flip(outputForm(schema)))
    assert.deepInclude(refused, { _tag: "InvalidParams", option: "outputSchema" })
    assert.match(refused.message, message)
  })
})

it.each([
  ["a keyword", { const: 1 }],
  ["a description alone", { description: "anything" }],
  ["a keyword beside its name", { schema: { a: 1 }, type: "object" }],
  ["Zod", z.unknown()],
  ["Effect", Schema.Unknown]
])("what accepts everything can be said by %s", (_, schema) => {
  assert.isTrue(Result.isSuccess(outputForm(schema)))
})

describe("a schema that fails is a problem of the answer:", () => {
  it.each<readonly [string, unknown, RegExp]>([
    ["it throws", standard({ jsonSchema, validate: () => throwing("bad") }), /the schema failed: Error: bad/],
    ["it throws no error", standard({ jsonSchema, validate: () => throwing("") }), /the schema failed/],
    [
      "it is asynchronous",
      standard({ jsonSchema, validate: () => Promise.reject(new Error("later")) }),
      /asynchronously/
    ],
    ["it has issues, but none", standard({ jsonSchema, validate: () => ({ issues: [] }) }), /is wrong/],
    ["it answers nothing", standard({ jsonSchema, validate: () => undefined }), /the schema failed/]
  ])("%s", (_, schema, message) => {
    const [problem] = Result.getOrThrow(Result.flip(read(schema, {})))
    assert.match(problem?.message ?? "", message)
  })
})

it("problems are bounded in number and length", () => {
  const schema = Schema.Record(Schema.String, Schema.String)
  const answer = Object.fromEntries(Array.from({ length: 1_000 }, (_, n) => [`${"~/".repeat(5_000)}${n}`, n]))
  const problems = Result.getOrThrow(Result.flip(read(schema, answer)))
  assert.lengthOf(problems, 16)
  assert.isBelow(JSON.stringify(problems).length, 16 * 600)
})

describe("a check that takes too long is a problem of the answer:", () => {
  const node = (name: string) => ({
    type: "object",
    properties: { next: { $ref: "#/$defs/node" }, [name]: { type: "string" } },
    required: [name]
  })
  const union = { $ref: "#/$defs/node", $defs: { node: { anyOf: [node("a"), node("b")] } } }
  const nested = Array.from({ length: 20 }).reduce<unknown>((next) => ({ next }), 0)
  const blanks = `${" ".repeat(100_000)}x`
  const pattern = String.raw`\s+$`
  const inEffect = (text: string) => Effect.sync(() => ({ value: new RegExp(pattern).test(text) }))

  it.live.each<readonly [string, unknown, unknown]>([
    ["a pattern of JSON Schema", { type: "string", pattern }, blanks],
    ["a pattern of Zod", z.string().regex(new RegExp(pattern)), blanks],
    ["a pattern of Effect", Schema.String.check(Schema.isPattern(new RegExp(pattern))), blanks],
    ["a fiber", standard({ jsonSchema, validate: (text: string) => Effect.runSync(inEffect(text)) }), blanks],
    ["a union that calls itself", union, nested]
  ])(
    "%s",
    ([_, schema, answer]) =>
      Effect.withFiber((fiber) =>
        Effect.sync(() => {
          const output = read(schema, answer)
          assert.strictEqual(Fiber.getCurrent(), fiber)
          const problems = Result.getOrThrow(Result.flip(output))
          assert.deepStrictEqual(problems, [{ path: "", message: "it takes too long to check" }])
        })
      ),
    { timeout: 30_000 }
  )
})

it.each<readonly [string, unknown]>([
  ["JSON Schema", { type: "object", properties: {}, additionalProperties: false }],
  ["Zod", z.strictObject({})]
])("problems that %s names are one line that hides nothing and steers no terminal", (_, schema) => {
  const key = "x\u001b]0;owned\u0007\u001b[2J\u202e\nAll tests passed"
  const problems = Result.getOrThrow(Result.flip(read(schema, { [key]: 1 })))
  const text = problems.map(({ path, message }) => `${path} ${message}`).join("")
  assert.include(text, "x]0;owned[2J All tests passed")
  assert.notMatch(text, /[\p{Cc}\p{Cf}]/u)
})
