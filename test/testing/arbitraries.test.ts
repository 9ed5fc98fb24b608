/** What the arbitraries make is what they say: events of the schema, runs as a run gives them, lines as a CLI prints. */
import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Effect, Schema, Stream } from "effect"
import { AgentEvent } from "../../src/AgentEvent.ts"
import { AgentRuntime } from "../../src/AgentRuntime.ts"
import { type CliId, clis } from "../../src/agents.ts"
import { replay } from "../../src/replay.ts"
import { makeReader } from "../../src/run/reader.ts"
import { Arbitraries, FakeCli } from "../../src/testing.ts"
import { errorOf, resultOf } from "../kit/events.ts"
import { ids, runOf } from "./kit.ts"

const { run, wire, ...others } = Arbitraries
const encode = Schema.encodeSync(AgentEvent)
const decode = Schema.decodeUnknownSync(AgentEvent)

const often = { arbitrary: { runs: 300 } }

/** JSON knows no -0. */
const throughJson = (event: AgentEvent): AgentEvent => decode(JSON.parse(JSON.stringify(encode(event))))
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

describe("an event", () => {
  for (const [name, arbitrary] of Object.entries(others)) {
    it.prop(
      `${name} encodes, and decodes to itself, also as a line of JSON`,
      [arbitrary as Arbitrary.Arbitrary<AgentEvent>],
      ([event]) => {
        assert.deepStrictEqual(decode(encode(event)), event)
        assert.deepStrictEqual(plain(throughJson(event)), plain(event))
      },
      often
    )
  }

  it.effect("is of every type, and every type has one of its own", () =>
    Effect.gen(function* () {
      const events = yield* Arbitrary.sampleEffect(Arbitraries.event, { count: 200, seed: 1 })
      const types = new Set(events.map(({ type }) => type))
      assert.deepStrictEqual(types.size, AgentEvent.members.length)
      for (const arbitrary of Object.values(others)) {
        const [one] = yield* Arbitrary.sampleEffect(arbitrary as Arbitrary.Arbitrary<AgentEvent>, { count: 1, seed: 1 })
        types.delete(one?.type ?? "text")
      }
      assert.deepStrictEqual([...types], [])
    })
  )
})

describe("a run", () => {
  it.effect.prop(
    "comes out of layerTest unchanged, by both methods",
    [run],
    ([events]) =>
      Effect.gen(function* () {
        const agent = yield* AgentRuntime
        assert.deepStrictEqual(yield* Stream.runCollect(agent.execute({ prompt: "hello" })), events)
        const result = resultOf(events)
        const exit = yield* Effect.result(agent.run({ prompt: "hello" }))
        if (exit._tag === "Success")
          return assert.deepStrictEqual([exit.success, result.outcome], [result, "completed"])
        assert.deepStrictEqual(exit.failure.result, result)
        const { code, category } = errorOf(events)
        assert.deepStrictEqual([exit.failure.reason.code, exit.failure.reason.category], [code, category])
      }).pipe(Effect.provide(AgentRuntime.layerTest(events))),
    often
  )

  it.effect.prop(
    "whose end is taken away ends the same, as far as events tell",
    [run],
    ([events]) =>
      Effect.gen(function* () {
        const agent = yield* AgentRuntime
        const again = yield* Stream.runCollect(agent.execute({ prompt: "hello" }))
        const { outcome, reason, text, sessionId, aborted } = resultOf(events)
        assert.deepInclude(resultOf(again), { outcome, reason, text, sessionId, aborted })
      }).pipe(Effect.provide(AgentRuntime.layerTest(events.slice(0, -1)))),
    often
  )

  it.prop(
    "has one session, first; results behind their calls; and nothing withdrawn that was not said",
    [run],
    ([events]) => {
      const open = new Set<string>()
      const used = new Set<string>()
      let text = ""
      for (const [index, event] of events.entries()) {
        assert.strictEqual(event.type === "session", index === 0)
        if (event.type === "error") assert.strictEqual(index, events.length - 2)
        if (event.parentToolId !== undefined) assert.isTrue(open.has(event.parentToolId))
        if (event.type === "tool_use") {
          assert.isFalse(used.has(event.toolId))
          used.add(event.toolId)
          open.add(event.toolId)
        }
        if (event.type === "tool_result") assert.isTrue(open.delete(event.toolId))
        if (event.type === "text" && event.parentToolId === undefined) text += event.text
        if (event.type !== "notice" || event.kind !== "text_voided") continue
        const { characters = 0 } = event.data ?? {}
        assert.isTrue(characters > 0 && characters <= text.length)
        text = text.slice(0, text.length - characters)
      }
      assert.strictEqual(resultOf(events).text, text)
      if (resultOf(events).outcome === "completed") assert.deepStrictEqual([...open], [])
    },
    often
  )

  it.effect("comes to every end, and with everything in between", () =>
    Effect.gen(function* () {
      const runs = yield* Arbitrary.sampleEffect(run, { count: 400, size: 10, seed: 1 })
      const outcomes = new Set(runs.map((events) => resultOf(events).outcome))
      const seen = new Set(runs.flat().map((event) => (event.type === "notice" ? event.kind : event.type)))
      assert.deepStrictEqual([...outcomes].sort(), ["aborted", "completed", "failed", "timed_out"])
      for (const what of ["text", "thinking", "tool_use", "text_voided", "unknown", "retry"] as const) {
        assert.isTrue(seen.has(what), what)
      }
      assert.isTrue(runs.flat().some((event) => event.type === "text" && event.parentToolId !== undefined))
    })
  )
})

/** Pieces of the given sizes, over and over. */
const cutUp = (text: string, sizes: ReadonlyArray<number>) => {
  const bytes = new TextEncoder().encode(text)
  const chunks: Array<Uint8Array> = []
  for (let from = 0, index = 0; from < bytes.length; index++) {
    const size = 1 + ((sizes[index % sizes.length] ?? 0) % 500)
    chunks.push(bytes.subarray(from, from + size))
    from += size
  }
  return chunks
}

/** The events of the chunks, without an end. */
const eventsOf = (cli: CliId, chunks: ReadonlyArray<Uint8Array>) => {
  const reader = makeReader(clis[cli].decoder({ prompt: "" }))
  return [...chunks.flatMap(reader.split), ...reader.rest()].flatMap(reader.read)
}

const toolsOf = (events: ReadonlyArray<AgentEvent>) => {
  const names = new Map(events.flatMap((event) => (event.type === "tool_use" ? [[event.toolId, event.toolName]] : [])))
  return events.flatMap((event) => {
    if (event.type !== "tool_result") return []
    const { toolId, output, isError } = event
    return [{ toolId, toolName: names.get(toolId) ?? "never called", output, isError }]
  })
}

const byId = (tools: ReadonlyArray<Arbitraries.WireTool>) =>
  tools.toSorted((a, b) => Number(a.toolId.slice(5)) - Number(b.toolId.slice(5)))

/** What a run of these events means, for a comparison with what was meant. */
const meaningOf = (events: ReadonlyArray<AgentEvent>): Omit<Arbitraries.Wire, "lines" | "transcript" | "steps"> => {
  const { text, outcome, usage } = resultOf(events)
  const category = outcome === "completed" ? {} : { category: errorOf(events).category }
  const told = outcome === "completed" && usage !== undefined ? { usage } : {}
  return { text, outcome, tools: byId(toolsOf(events)), ...category, ...told }
}

describe.each(ids)("the wire of %s", (cli) => {
  it.prop(
    "means what it says it means, however it is cut",
    [wire(cli), Arbitrary.array(Arbitrary.schema(Schema.Natural), { minLength: 1 })],
    ([{ lines, transcript, steps: _, ...meaning }, sizes]) => {
      const events = replay(clis[cli], transcript)
      assert.strictEqual(lines.join("\n"), transcript.trimEnd())
      assert.deepStrictEqual(meaningOf(events), meaning)
      const middle = events.filter(({ type }) => type !== "error" && type !== "done")
      assert.deepStrictEqual(eventsOf(cli, cutUp(transcript, sizes)), middle)
      assert.deepStrictEqual(
        middle.filter(
          (event) => event.type === "unknown" || (event.type === "notice" && event.kind === "malformed_line")
        ),
        []
      )
    },
    often
  )

  it.effect("has every end, tools at the same time, and what was withdrawn", () =>
    Effect.gen(function* () {
      const wires = yield* Arbitrary.sampleEffect(wire(cli), { count: 300, size: 10, seed: 1 })
      const categories = new Set(wires.map(({ category }) => category))
      assert.strictEqual(categories.size, 10)
      assert.isTrue(wires.some(({ tools }) => tools.length > 1))
      assert.isTrue(wires.some(({ text, outcome }) => text !== "" && outcome === "completed"))
      const voids = wires.some(({ transcript }) =>
        replay(clis[cli], transcript).some((event) => event.type === "notice" && event.kind === "text_voided")
      )
      assert.strictEqual(voids, cli === "opencode")
    })
  )

  it.effect("is what a process says that performs its steps", () =>
    Effect.gen(function* () {
      const wires = yield* Arbitrary.sampleEffect(wire(cli), { count: 4, size: 6, seed: 4 })
      for (const { steps, text, tools } of wires) {
        const { events } = yield* runOf(FakeCli[cli](steps))
        assert.deepStrictEqual([resultOf(events).text, byId(toolsOf(events))], [text, tools])
      }
    })
  )
})
