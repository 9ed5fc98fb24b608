/** Nothing hides or changes the rest of a run: not the chunks in which it is read, and not what nobody knows yet. */
import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Schema } from "effect"
import type { AgentEvent } from "../../../src/AgentEvent.ts"
import { makeCodex } from "../../../src/cli/codex/index.ts"
import { type Fixture, fixturesOf, named, runFixture } from "../fixtures.ts"
import { linesOf, runTranscript } from "../transcript.ts"
import { anyRun, print, wireOf } from "./generate.ts"

const fixtures = fixturesOf(makeCodex())
const runRecorded = (fixture: Fixture, chunks?: ReadonlyArray<Uint8Array>) => runFixture(makeCodex(), fixture, chunks)
const run = (lines: ReadonlyArray<unknown>) => runTranscript(makeCodex(), { chunks: print(lines), exit: { code: 0 } })

describe("the chunks", () => {
  const whole = new Map(fixtures.map((fixture) => [fixture.name, runRecorded(fixture).all]))

  it.prop(
    "of a recording do not matter",
    [Arbitrary.schema(Schema.Natural), Arbitrary.array(Arbitrary.schema(Schema.Natural), { minLength: 1 })],
    ([which, sizes]) => {
      const fixture = fixtures[which % fixtures.length] ?? assert.fail()
      const { name, bytes } = fixture
      const chunks: Array<Uint8Array> = []
      for (let from = 0, index = 0; from < bytes.length; index++) {
        const size = 1 + ((sizes[index % sizes.length] ?? 0) % 500)
        chunks.push(bytes.subarray(from, from + size))
        from += size
      }
      assert.deepStrictEqual(runRecorded(fixture, chunks).all, whole.get(name))
    },
    { arbitrary: { runs: 300 } }
  )

  it.each(named(fixtures))("of %s may be single bytes", (_, fixture) => {
    const { name, bytes } = fixture
    const chunks = Array.from(bytes, (_, index) => bytes.subarray(index, index + 1))
    assert.deepStrictEqual(runRecorded(fixture, chunks).all, whole.get(name))
  })
})

describe("a made-up run", () => {
  it.prop(
    "gives the text it means, and every tool call with one end",
    [anyRun],
    ([plan]) => {
      const { lines, text, toolIds, openIds } = wireOf(plan)
      const { events, result } = run(lines)
      assert.strictEqual(result.text, text)
      const ids = (type: "tool_use" | "tool_result") =>
        events.flatMap((event) => (event.type === type ? [event.toolId] : []))
      assert.deepStrictEqual(ids("tool_use"), toolIds)
      const closed = plan.end === "killed" ? toolIds.filter((id) => !openIds.includes(id)) : toolIds
      assert.deepStrictEqual(ids("tool_result").toSorted(), closed.toSorted())
      const outcome = plan.end === "completed" ? "completed" : "failed"
      assert.strictEqual(result.outcome, outcome)
      const retries = events.filter((event) => event.type === "notice" && event.kind === "retry").length
      const cuts = plan.answers.flatMap((answer) => answer.cuts).length
      const hiccups = plan.answers.flatMap(({ tools }) => tools).filter((tool) => tool === "error").length
      if (plan.end !== "killed") assert.strictEqual(retries, cuts + hiccups)
    },
    { arbitrary: { runs: 500 } }
  )
})

const strange: ReadonlyArray<unknown> = [
  { type: "hologram", thread_id: "x", text: "not the answer" },
  { type: "thread.started" },
  { type: "thread.archived", thread_id: "x" },
  { type: "item.completed" },
  { type: "item.completed", item: null },
  { type: "item.completed", item: { id: "item_9", type: "hologram", text: "not the answer" } },
  { type: "item.completed", item: { type: "agent_message", text: "not the answer" } },
  { type: "item.started", item: { id: "item_9", type: "agent_message" } },
  { type: "item.deleted", item: { id: "item_0", type: "command_execution" } },
  { type: "turn.paused" },
  { type: 7 },
  {},
  { text: "not the answer" },
  "Run Codex non-interactively",
  '{"type":"turn.failed"',
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

/** A field that nobody knows in every object; the agents of a sub-agent call are names, not fields. */
const addFields = (value: unknown, key?: string): unknown => {
  if (Array.isArray(value)) return value.map((item) => addFields(item))
  if (typeof value !== "object" || value === null) return value
  const fields = Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, addFields(inner, name)]))
  return key === "agents_states" ? fields : { ...fields, zz_new: { nested: ["new"] } }
}

const dropFields = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(dropFields)
  if (typeof value !== "object" || value === null) return value
  const known = Object.entries(value).filter(([name]) => name !== "zz_new")
  return Object.fromEntries(known.map(([name, inner]) => [name, dropFields(inner)]))
}

const parse = (bytes: Uint8Array): unknown => JSON.parse(new TextDecoder().decode(bytes))

describe("what nobody knows", () => {
  const sameButStrange = (plain: ReturnType<typeof run>, mixed: ReturnType<typeof run>, strangers: number) => {
    assert.deepStrictEqual(
      mixed.events.filter((event) => !isStrange(event)),
      plain.events
    )
    assert.strictEqual(mixed.events.filter(isStrange).length, strangers)
    assert.deepStrictEqual(mixed.result, plain.result)
  }

  it.prop(
    "hides nothing of a made-up run, and is told",
    [anyRun, Strangers],
    ([plan, strangers]) => {
      const { lines } = wireOf(plan)
      sameButStrange(run(lines), run(mixIn(lines, strangers)), strangers.length)
    },
    { arbitrary: { runs: 200 } }
  )

  it.prop(
    "hides nothing of a recording",
    [Schema.Natural, Strangers],
    ([which, strangers]) => {
      const fixture = fixtures[which % fixtures.length] ?? assert.fail()
      const mixed = runRecorded(fixture, print(mixIn(linesOf(fixture.bytes).map(parse), strangers)))
      sameButStrange(runRecorded(fixture), mixed, strangers.length)
    },
    { arbitrary: { runs: 200 } }
  )

  it.each(named(fixtures))("new fields change nothing in %s", (_, fixture) => {
    const chunks = print(linesOf(fixture.bytes).map((line) => addFields(parse(line))))
    assert.deepStrictEqual(dropFields(runRecorded(fixture, chunks).all), dropFields(runRecorded(fixture).all))
  })
})
