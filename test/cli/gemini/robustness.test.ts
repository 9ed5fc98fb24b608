/** The answer that was meant comes out once, whatever the chunks and whatever nobody knows yet in between. */
import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Schema } from "effect"
import type { AgentEvent } from "../../../src/AgentEvent.ts"
import { gemini } from "../../../src/cli/gemini/index.ts"
import { fixturesOf, named, runFixture } from "../fixtures.ts"
import { linesOf, runTranscript } from "../transcript.ts"
import { anyRun, print, wireOf } from "./generate.ts"

const fixtures = fixturesOf(gemini)
const run = (lines: ReadonlyArray<unknown>) => runTranscript(gemini, { chunks: print(lines), exit: { code: 0 } })

describe("a made-up run", () => {
  it.prop(
    "gives the answer that was meant, once, and every call once, in order",
    [anyRun],
    ([plan]) => {
      const { lines, text, toolIds } = wireOf(plan)
      const { events, result } = run(lines)
      assert.strictEqual(result.text, text)
      assert.strictEqual(events.map((event) => (event.type === "text" ? event.text : "")).join(""), text)
      assert.strictEqual(result.outcome, "completed")
      const used = events.flatMap((event) => (event.type === "tool_use" ? [event.toolId] : []))
      const ended = events.flatMap((event) => (event.type === "tool_result" ? [event.toolId] : []))
      assert.deepStrictEqual(used, [...toolIds])
      assert.sameMembers(ended, [...toolIds])
    },
    { arbitrary: { runs: 500 } }
  )

  it.prop("that breaks off has no success", [anyRun], ([plan]) => {
    const { lines } = wireOf(plan)
    const { result } = run(lines.slice(0, -1))
    assert.deepInclude(result, { outcome: "failed", reason: "no_result" })
  })
})

describe("the chunks", () => {
  const whole = new Map(fixtures.map((fixture) => [fixture.name, runFixture(gemini, fixture).all]))

  it.prop(
    "of a recording do not matter",
    [Arbitrary.schema(Schema.Natural), Arbitrary.array(Arbitrary.schema(Schema.Natural), { minLength: 1 })],
    ([which, sizes]) => {
      const fixture = fixtures[which % fixtures.length] ?? assert.fail()
      const { name, bytes } = fixture
      const chunks: Array<Uint8Array> = []
      for (let from = 0, index = 0; from < bytes.length; index++) {
        const size = 1 + ((sizes[index % sizes.length] ?? 0) % 2_000)
        chunks.push(bytes.subarray(from, from + size))
        from += size
      }
      assert.deepStrictEqual(runFixture(gemini, fixture, chunks).all, whole.get(name))
    },
    { arbitrary: { runs: 300 } }
  )

  it.each(named(fixtures))("of %s may be single bytes", (_, fixture) => {
    const { name, bytes } = fixture
    const chunks = Array.from(bytes, (_, index) => bytes.subarray(index, index + 1))
    assert.deepStrictEqual(runFixture(gemini, fixture, chunks).all, whole.get(name))
  })
})

const strange: ReadonlyArray<unknown> = [
  { type: "hologram", payload: { deep: [1, { text: "not the answer" }] } },
  { type: "message" },
  { type: "message", role: "tool", content: "not the answer" },
  { type: "message", role: "assistant", content: [{ text: "not the answer" }] },
  { type: "tool_use", tool_name: "glob" },
  { type: "tool_result", status: "error" },
  { type: "result_of_something", status: "error" },
  { type: ["result"], status: "error" },
  { type: "init" },
  { type: 7 },
  {},
  "Loaded cached credentials.",
  '{"type":"result","status":"error"',
  "[1,2,3]",
  "null",
  "42"
]

const isStrange = (event: AgentEvent) =>
  event.type === "unknown" || (event.type === "notice" && event.kind === "malformed_line")

const Strangers = Schema.Array(Schema.Struct({ what: Schema.Natural, at: Schema.Natural }))

/** Before the last line: with it the run has ended. */
const mixIn = (lines: ReadonlyArray<unknown>, strangers: typeof Strangers.Type) =>
  strangers.reduce<ReadonlyArray<unknown>>(
    (all, { what, at }) => all.toSpliced(at % Math.max(1, all.length), 0, strange[what % strange.length]),
    lines
  )

const textOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes).trimEnd()

/** A field that nobody knows in every object. The models of the counts are names, and a tool's input is kept whole. */
const addFields = (value: unknown, key?: string): unknown => {
  if (key === "parameters") return value
  if (Array.isArray(value)) return value.map((item) => addFields(item))
  if (typeof value !== "object" || value === null) return value
  const fields = Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, addFields(inner, name)]))
  return key === "models" ? fields : { ...fields, zz_new: { nested: ["new"] } }
}

describe("what nobody knows", () => {
  it.prop(
    "hides nothing of a made-up run, and is told",
    [anyRun, Strangers],
    ([plan, strangers]) => {
      const { lines } = wireOf(plan)
      const alone = run(lines)
      const mixed = run(mixIn(lines, strangers))
      assert.deepStrictEqual(
        mixed.events.filter((event) => !isStrange(event)),
        alone.events
      )
      assert.strictEqual(mixed.events.filter(isStrange).length, strangers.length)
      assert.deepStrictEqual(mixed.result, alone.result)
    },
    { arbitrary: { runs: 200 } }
  )

  it.prop(
    "hides nothing of a recording",
    [Schema.Natural, Strangers],
    ([which, strangers]) => {
      const fixture = fixtures[which % fixtures.length] ?? assert.fail()
      const alone = runFixture(gemini, fixture)
      const mixed = runFixture(gemini, fixture, print(mixIn(linesOf(fixture.bytes).map(textOf), strangers)))
      const known = (events: ReadonlyArray<AgentEvent>) => events.filter((event) => !isStrange(event))
      assert.deepStrictEqual(known(mixed.events), known(alone.events))
      assert.deepStrictEqual(mixed.result, alone.result)
    },
    { arbitrary: { runs: 200 } }
  )

  it.each(named(fixtures))("new fields change nothing in %s", (_, fixture) => {
    const wider = (line: string) => (line.startsWith("{") ? addFields(JSON.parse(line)) : line)
    const chunks = print(linesOf(fixture.bytes).map((line) => wider(textOf(line))))
    assert.deepStrictEqual(runFixture(gemini, fixture, chunks).all, runFixture(gemini, fixture).all)
  })
})
