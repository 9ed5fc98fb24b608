/** Nothing hides the rest of a run: not the chunks in which it is read, and not what nobody knows yet. */
import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Schema } from "effect"
import type { AgentEvent } from "../../../src/AgentEvent.ts"
import { opencode } from "../../../src/cli/opencode/index.ts"
import { fixturesOf, named, runFixture } from "../fixtures.ts"
import { linesOf, runTranscript } from "../transcript.ts"
import { anyRun, wireOf } from "./generate.ts"
import { print, sessionId, tokens } from "./wireLines.ts"

const fixtures = fixturesOf(opencode)
const run = (lines: ReadonlyArray<unknown>) => runTranscript(opencode, { chunks: print(lines), exit: { code: 0 } })

describe("a made-up run", () => {
  it.prop(
    "gives the text that was meant, each tool once, and the sums of its steps",
    [anyRun],
    ([plan]) => {
      const wire = wireOf(plan)
      const { events, result } = run(wire.lines)
      assert.strictEqual(result.outcome, "completed")
      assert.strictEqual(result.text, wire.text)
      const thoughts = events.flatMap((event) => (event.type === "thinking" ? [event.text] : []))
      assert.deepStrictEqual(thoughts, wire.thinking)
      const ids = (type: "tool_use" | "tool_result") =>
        events.flatMap((event) => (event.type === type ? [event.toolId] : []))
      assert.deepStrictEqual(ids("tool_use"), wire.toolIds)
      assert.deepStrictEqual(ids("tool_result"), wire.toolIds)
      assert.strictEqual(result.numTurns, wire.steps)
      assert.strictEqual(result.usage?.outputTokens, wire.steps * (tokens.output + tokens.reasoning))
      assert.strictEqual(result.usage?.cacheReadTokens, wire.steps * tokens.cache.read)
      assert.closeTo(result.totalCostUsd ?? 0, wire.steps * 0.5, 1e-9)
      assert.deepStrictEqual(
        events.flatMap((event) => (event.type === "session" ? [event.sessionId] : [])),
        [sessionId]
      )
    },
    { arbitrary: { runs: 500 } }
  )
})

describe("the chunks", () => {
  const whole = new Map(fixtures.map((fixture) => [fixture.name, runFixture(opencode, fixture).all]))

  it.prop(
    "of a recording do not matter",
    [Arbitrary.schema(Schema.Natural), Arbitrary.array(Arbitrary.schema(Schema.Natural), { minLength: 1 })],
    ([which, sizes]) => {
      const fixture = fixtures[which % fixtures.length] ?? assert.fail()
      const { name, bytes } = fixture
      const chunks: Array<Uint8Array> = []
      for (let from = 0, index = 0; from < bytes.length; index++) {
        const size = 1 + ((sizes[index % sizes.length] ?? 0) % 700)
        chunks.push(bytes.subarray(from, from + size))
        from += size
      }
      assert.deepStrictEqual(runFixture(opencode, fixture, chunks).all, whole.get(name))
    },
    { arbitrary: { runs: 200 } }
  )

  it.each(named(fixtures))("of %s may be single bytes", (_, fixture) => {
    const { name, bytes } = fixture
    const chunks = Array.from(bytes, (_, index) => bytes.subarray(index, index + 1))
    assert.deepStrictEqual(runFixture(opencode, fixture, chunks).all, whole.get(name))
  })
})

const strange: ReadonlyArray<unknown> = [
  { type: "hologram", part: { text: "not the answer" } },
  { type: "text" },
  { type: "text", part: { text: 7 } },
  { type: "tool_use", part: { tool: "bash", callID: "c", state: { status: "running" } } },
  { type: "tool_use", part: { callID: "c" } },
  { type: "step_finish" },
  { type: "step_finish", part: { tokens: {} } },
  { type: "step_start" },
  { type: "error" },
  { type: "error", error: 7 },
  { type: 7 },
  {},
  { sessionID: 7, type: "hologram", text: "not the answer" },
  "a foreign line",
  '{"type":"step_finish","part"',
  "[1,2,3]",
  "null",
  "42"
]

const isStrange = (event: AgentEvent) =>
  event.type === "unknown" || (event.type === "notice" && event.kind === "malformed_line")

const Strangers = Schema.Array(Schema.Struct({ what: Schema.Natural, at: Schema.Natural }))

const mixIn = (lines: ReadonlyArray<unknown>, strangers: typeof Strangers.Type) =>
  strangers.reduce<ReadonlyArray<unknown>>(
    (all, { what, at }) => all.toSpliced(at % (all.length + 1), 0, strange[what % strange.length]),
    lines
  )

const parse = (bytes: Uint8Array): unknown => JSON.parse(new TextDecoder().decode(bytes))

/** A field that nobody knows in every object. */
const addFields = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(addFields)
  if (typeof value !== "object" || value === null) return value
  const fields = Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, addFields(inner)]))
  return { ...fields, zz_new: { nested: ["new"] } }
}

const dropFields = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(dropFields)
  if (typeof value !== "object" || value === null) return value
  const known = Object.entries(value).filter(([name]) => name !== "zz_new")
  return Object.fromEntries(known.map(([name, inner]) => [name, dropFields(inner)]))
}

describe("what nobody knows", () => {
  it.prop(
    "hides nothing of a made-up run, and is told",
    [anyRun, Strangers],
    ([plan, strangers]) => {
      const { lines } = wireOf(plan)
      const plain = run(lines)
      const mixed = run(mixIn(lines, strangers))
      assert.deepStrictEqual(
        mixed.events.filter((event) => !isStrange(event)),
        plain.events
      )
      assert.strictEqual(mixed.events.filter(isStrange).length, strangers.length)
      assert.deepStrictEqual(mixed.result, plain.result)
    },
    { arbitrary: { runs: 200 } }
  )

  it("still names its session", () => {
    const line = { type: "hologram", sessionID: "ses_new" }
    const { events, result } = run([line])
    assert.deepStrictEqual(events, [
      { type: "session", sessionId: "ses_new" },
      { type: "unknown", raw: line }
    ])
    assert.strictEqual(result.sessionId, "ses_new")
  })

  it("is a field of another type, which costs no more than itself", () => {
    const lines = [
      { type: "text", sessionID: 7, part: { text: "hi", messageID: 7, metadata: 7 } },
      { type: "step_finish", part: { reason: "stop", tokens: { input: "many", output: 3 }, cost: "free" } }
    ]
    const { result } = run(lines)
    assert.deepInclude(result, { outcome: "completed", text: "hi", usage: { inputTokens: 0, outputTokens: 3 } })
    assert.isUndefined(result.totalCostUsd)
  })

  it.each(named(fixtures))("new fields change nothing in %s", (_, fixture) => {
    const { bytes, expectation } = fixture
    const given = { ...expectation, params: expectation.params ?? {} }
    const chunks = print(linesOf(bytes).map((line) => addFields(parse(line))))
    const { all } = runTranscript(opencode, { ...given, chunks })
    const plain = runTranscript(opencode, { ...given, chunks: linesOf(bytes) })
    assert.deepStrictEqual(dropFields(all), dropFields(plain.all))
  })
})
