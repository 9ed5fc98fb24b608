/** The arbitraries keep their promise: events of the schema, and runs as a run gives them. */
import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Effect, Schema, Stream } from "effect"
import { AgentRuntime } from "../../src/agents/AgentRuntime.ts"
import { ChannelMessage } from "../../src/bridge/messages/ChannelMessage.ts"
import { Incoming } from "../../src/bridge/messages/Incoming.ts"
import { AgentEvent } from "../../src/contract/AgentEvent.ts"
import type { RunReason } from "../../src/contract/FailureReason.ts"
import { Arbitraries, TestRuntime } from "../../src/testingEffect.ts"
import { errorOf, resultOf } from "../kit/events.ts"
import { runs } from "../kit/runs.ts"

const { run, wire, conversation: _, channelMessage, incoming, ...others } = Arbitraries
const encode = Schema.encodeSync(AgentEvent)
const decode = Schema.decodeUnknownSync(AgentEvent)

const decodeMessage = Schema.decodeUnknownSync(ChannelMessage)
const decodeIncoming = Schema.decodeUnknownSync(Incoming)

const failed = (reason: RunReason) => ({ outcome: "failed", reason }) as const

const often = runs(300)

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

describe("what channels hear", () => {
  it.prop(
    "is of the schema, and comes out of a line of JSON unchanged",
    [channelMessage, incoming],
    ([one, other]) => {
      const through = (value: unknown): unknown => JSON.parse(JSON.stringify(value))
      assert.deepStrictEqual(plain(decodeMessage(through(one))), plain(one))
      assert.deepStrictEqual(plain(decodeIncoming(through(other))), plain(other))
    },
    often
  )

  it.effect("is of every kind", () =>
    Effect.gen(function* () {
      const all = yield* Arbitrary.sampleEffect(incoming, { count: 200, seed: 1 })
      assert.strictEqual(new Set(all.map(({ _tag }) => _tag)).size, Incoming.members.length)
      const messages = yield* Arbitrary.sampleEffect(channelMessage, { count: 100, seed: 1 })
      assert.includeMembers(
        messages.map(({ text }) => text),
        ["/stop"]
      )
    })
  )
})

describe("a run", () => {
  it.effect.prop(
    "comes out of TestRuntime.layer unchanged, by both methods",
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
      }).pipe(Effect.provide(TestRuntime.layer(events))),
    often
  )

  it.effect.prop(
    "whose end is taken away ends the same, as far as events tell",
    [run],
    ([events]) =>
      Effect.gen(function* () {
        const agent = yield* AgentRuntime
        const again = yield* Stream.runCollect(agent.execute({ prompt: "hello" }))
        const { outcome, text, sessionId } = resultOf(events)
        const isCompleted = outcome === "completed"
        // Error events can be made only from the agent's own failure.
        const end = isCompleted ? ({ outcome, reason: "completed" } as const) : failed("agent_failed")
        assert.deepInclude(resultOf(again), { ...end, text, sessionId, aborted: false })
      }).pipe(Effect.provide(TestRuntime.layer(events.slice(0, -1)))),
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
      const known = new Set(runs.flat().map((event) => (event.type === "notice" ? event.kind : event.type)))
      assert.deepStrictEqual([...outcomes].sort(), ["aborted", "completed", "failed", "timed_out"])
      for (const what of ["text", "thinking", "tool_use", "text_voided", "unknown", "retry"] as const) {
        assert.isTrue(known.has(what), what)
      }
      assert.isTrue(runs.flat().some((event) => event.type === "text" && event.parentToolId !== undefined))
    })
  )
})
