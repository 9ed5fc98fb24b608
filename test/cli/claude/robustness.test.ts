/** Nothing hides the rest of a run: not the chunks in which it is read, and not what nobody knows yet. */
import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Schema } from "effect"
import type { AgentEvent } from "../../../src/AgentEvent.ts"
import { claude } from "../../../src/cli/claude/index.ts"
import { fixturesOf, named, runFixture } from "../fixtures.ts"
import { linesOf, runTranscript } from "../transcript.ts"
import { anyRun, print, wireOf } from "./generate.ts"

const fixtures = fixturesOf(claude)
const run = (lines: ReadonlyArray<unknown>) => runTranscript(claude, { chunks: print(lines), exit: { code: 0 } })

describe("the chunks", () => {
  const whole = new Map(fixtures.map((fixture) => [fixture.name, runFixture(claude, fixture).all]))

  it.prop(
    "of a recording do not matter",
    [Arbitrary.schema(Schema.Natural), Arbitrary.array(Arbitrary.schema(Schema.Natural), { minLength: 1 })],
    ([which, sizes]) => {
      const fixture = fixtures[which % fixtures.length] ?? assert.fail()
      const { name, bytes } = fixture
      const chunks: Array<Uint8Array> = []
      for (let from = 0, index = 0; from < bytes.length; index++) {
        const size = 1 + ((sizes[index % sizes.length] ?? 0) % 5_000)
        chunks.push(bytes.subarray(from, from + size))
        from += size
      }
      assert.deepStrictEqual(runFixture(claude, fixture, chunks).all, whole.get(name))
    },
    { arbitrary: { runs: 300 } }
  )

  it.each(named(fixtures))("of %s may be single bytes", (_, fixture) => {
    const { name, bytes } = fixture
    const chunks = Array.from(bytes, (_, index) => bytes.subarray(index, index + 1))
    assert.deepStrictEqual(runFixture(claude, fixture, chunks).all, whole.get(name))
  })
})

const strange: ReadonlyArray<unknown> = [
  { type: "hologram", session_id: "x", payload: { deep: [1, { text: "not the answer" }] } },
  { type: "system", subtype: "brand_new", content: "?" },
  { type: "system" },
  { type: "assistant" },
  { type: "assistant", message: { content: [{ type: "hologram", text: "not the answer" }] } },
  { type: "user", message: { content: [{ type: "hologram" }] } },
  { type: "stream_event", event: { type: "hologram", delta: { type: "text_delta", text: "not the answer" } } },
  { type: "stream_event" },
  { type: 7 },
  {},
  { text: "not the answer" },
  { type: "result_of_something", is_error: true },
  "a foreign line",
  '{"type":"result","is_error":true',
  "[1,2,3]",
  "null",
  "42"
]

const isStrange = (event: AgentEvent) =>
  event.type === "unknown" || (event.type === "notice" && event.kind === "malformed_line")

const Strangers = Schema.Array(Schema.Struct({ what: Schema.Natural, at: Schema.Natural }))

/** Anywhere before the last line, behind which nobody listens. */
const mixIn = (lines: ReadonlyArray<unknown>, strangers: typeof Strangers.Type) =>
  strangers.reduce<ReadonlyArray<unknown>>(
    (all, { what, at }) => all.toSpliced(at % Math.max(1, all.length), 0, strange[what % strange.length]),
    lines
  )

/** A field that nobody knows in every object; the models of a usage record are names, not fields. */
const addFields = (value: unknown, key?: string): unknown => {
  if (Array.isArray(value)) return value.map((item) => addFields(item))
  if (typeof value !== "object" || value === null) return value
  const fields = Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, addFields(inner, name)]))
  return key === "model_usage_since_last_result" ? fields : { ...fields, zz_new: { nested: ["new"] } }
}

const dropFields = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(dropFields)
  if (typeof value !== "object" || value === null) return value
  const known = Object.entries(value).filter(([name]) => name !== "zz_new")
  return Object.fromEntries(known.map(([name, inner]) => [name, dropFields(inner)]))
}

const parse = (bytes: Uint8Array): unknown => JSON.parse(new TextDecoder().decode(bytes))

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

  it.prop(
    "hides nothing of a recording",
    [Schema.Natural, Strangers],
    ([which, strangers]) => {
      const fixture = fixtures[which % fixtures.length] ?? assert.fail()
      const plain = runFixture(claude, fixture)
      const mixed = runFixture(claude, fixture, print(mixIn(linesOf(fixture.bytes).map(parse), strangers)))
      assert.deepStrictEqual(
        mixed.events.filter((event) => !isStrange(event)),
        plain.events
      )
      assert.strictEqual(mixed.events.filter(isStrange).length, strangers.length)
      assert.deepStrictEqual(mixed.result, plain.result)
    },
    { arbitrary: { runs: 200 } }
  )

  it.each(named(fixtures))("new fields change nothing in %s", (_, fixture) => {
    const { bytes, expectation } = fixture
    const chunks = print(linesOf(bytes).map((line) => addFields(parse(line))))
    const { all } = runTranscript(claude, { ...expectation, params: expectation.params ?? {}, chunks })
    const plain = runTranscript(claude, { ...expectation, params: expectation.params ?? {}, chunks: linesOf(bytes) })
    assert.deepStrictEqual(dropFields(all), dropFields(plain.all))
  })
})
