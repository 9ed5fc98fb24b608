/**
 * An answer that does not meet `outputSchema` is a failure, whatever the CLI reports; a schema that cannot be checked
 * gives a notice.
 */
import { Schema } from "effect"
import { assert, describe, it } from "vitest"
import type { Cli } from "../../../src/cli/Cli.ts"
import { claude } from "../../../src/cli/claude/index.ts"
import { codex } from "../../../src/cli/codex/index.ts"
import { print, runTranscript } from "../../cli/transcript.ts"

type Json = Readonly<Record<string, unknown>>

const a: Json = { type: "object", properties: { a: { type: "string" } }, required: ["a"], additionalProperties: false }
const any = Schema.Unknown

/** The lines of a run whose answer is this text, or this value where it is JSON. */
const clis: ReadonlyArray<readonly [string, () => Cli, (answer: string) => ReadonlyArray<unknown>]> = [
  [
    "codex",
    () => codex,
    (text) => [
      { type: "thread.started", thread_id: "t" },
      { type: "item.completed", item: { id: "i", type: "agent_message", text } },
      { type: "turn.completed", usage: {} }
    ]
  ],
  [
    "claude",
    () => claude,
    (text) => {
      const value = Schema.decodeUnknownOption(Schema.fromJsonString(any))(text)
      const output = value._tag === "Some" ? { structured_output: value.value } : {}
      return [
        { type: "system", subtype: "init", session_id: "s" },
        { type: "result", subtype: "success", is_error: false, session_id: "s", result: text, ...output }
      ]
    }
  ]
]

const recursive = { $defs: { list: { type: "array", items: { $ref: "#/$defs/list" } } }, $ref: "#/$defs/list" }
const older = { $ref: "#/definitions/x", definitions: { x: { type: "number", minimum: 3 } } }

/** Schema, answer, and what is wrong with it. */
const table: ReadonlyArray<readonly [string, Json, string, string | undefined]> = [
  ["what was asked for", a, '{"a":"x"}', undefined],
  ["a missing key", { ...a, additionalProperties: true }, '{"b":42}', "/a: is missing"],
  ["another type", a, '{"a":42}', "/a: Expected string"],
  ["more than is allowed", a, '{"a":"x","b":1}', "/b: Expected no excess property"],
  ["prose", a, "The answer is a.", "the answer is not a JSON value"],
  ["prose around JSON", a, 'Here: {"a":"x"}', "the answer is not a JSON value"],
  ["nothing", a, "", "the answer is not a JSON value"],
  ["null", a, "null", "Expected object"],
  ["a value that null may be", { type: ["string", "null"] }, "null", undefined],
  ["false, where that is asked for", { type: "boolean" }, "false", undefined],
  ["one of two", { oneOf: [{ type: "string" }, { type: "number" }] }, "true", "Expected string | number"],
  ["no member of a list", { enum: ["x", 1, null] }, '"y"', 'Expected "x" | 1 | null'],
  ["a fraction for an integer", { type: "integer" }, "1.5", "Expected an integer"],
  ["a reference to itself, met", recursive, "[[],[[]]]", undefined],
  ["a reference to itself, not met", recursive, "[[],[1]]", "/1/0: Expected list"],
  ["definitions of the older draft", older, "2", "Expected a value greater than or equal to 3"],
  ["a format, which is a remark", { type: "string", format: "email" }, '"x"', undefined],
  ["anything", {}, "[1]", undefined],
  ["keys of every object", { type: "object" }, '{"constructor":1}', undefined]
]

describe.each(clis)("%s", (_, make, lines) => {
  const run = (outputSchema: Json, answer: string) =>
    runTranscript(make(), { chunks: print(lines(answer)), exit: { code: 0 }, params: { outputSchema } })

  it.each(table)("%s", (_, schema, answer, problem) => {
    const { result, all } = run(schema, answer)
    if (problem === undefined) {
      assert.deepInclude(result, { outcome: "completed", reason: "completed", structuredOutput: JSON.parse(answer) })
      return
    }
    assert.deepInclude(result, { outcome: "failed", reason: "schema_not_met" })
    assert.notProperty(result, "structuredOutput")
    assert.strictEqual(result.text, answer)
    const error = all.at(-2)
    assert.deepInclude(error, { type: "error", code: "schema_not_met", category: "protocol", retryable: false })
    const start = `The answer does not match outputSchema: ${problem}`
    assert.strictEqual(error?.type === "error" ? error.message.slice(0, start.length) : "", start)
  })

  it.each([
    ["not", { not: { type: "string" } }],
    ["dependentRequired", { dependentRequired: { a: ["b"] } }],
    ["$ref", { $ref: "https://example.org/schema" }]
  ])("says that %s is not checked, once, and takes what came", (word, schema) => {
    const { result, events } = run(schema, "1")
    assert.deepInclude(result, { outcome: "completed", structuredOutput: 1 })
    const notices = events.filter((event) => event.type === "notice" && event.kind === "warning")
    assert.lengthOf(notices, 1)
    assert.include(JSON.stringify(notices), word)
    assert.deepInclude(run(schema, "prose").result, { outcome: "failed", reason: "schema_not_met" })
  })

  it("never shows the whole of a long answer", () => {
    const long = run({ enum: ["x".repeat(5_000)] }, JSON.stringify("y".repeat(5_000))).all.at(-2)
    assert.isBelow(long?.type === "error" ? long.message.length : 1e9, 400)
  })

  it("checks nothing where nothing was asked for", () => {
    const { result } = runTranscript(make(), { chunks: print(lines("prose")), exit: { code: 0 } })
    assert.deepInclude(result, { outcome: "completed", text: "prose" })
  })
})

it("Claude Code that gives up by itself has not met the schema", () => {
  const subtype = "error_max_structured_output_retries"
  const end = { type: "result", subtype, is_error: true, session_id: "s", errors: ["Failed after 5 attempts"] }
  const init = { type: "system", subtype: "init", session_id: "s" }
  const { result, all } = runTranscript(claude, {
    chunks: print([init, end]),
    exit: { code: 1 },
    params: { outputSchema: a }
  })
  assert.deepInclude(result, { outcome: "failed", reason: "schema_not_met", errorSubtype: subtype })
  assert.deepInclude(all.at(-2), { message: "The answer does not match outputSchema: Failed after 5 attempts" })
})

it("an answer that is too deep to look through has not met the schema", () => {
  const [, make, lines] = clis[0] ?? assert.fail("a CLI")
  const answer = `${"[".repeat(100_000)}${"]".repeat(100_000)}`
  const params = { outputSchema: recursive }
  const { result } = runTranscript(make(), { chunks: print(lines(answer)), exit: { code: 0 }, params })
  assert.deepInclude(result, { outcome: "failed", reason: "schema_not_met" })
})
