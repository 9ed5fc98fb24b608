/** Buffered events arrive unchanged. */
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { makeEarlyEvents } from "../../../src/agents/session/broadcast.ts"
import type { AgentEvent } from "../../../src/contract/AgentEvent.ts"

const long = "ä".repeat(50_000)
const kinds: ReadonlyArray<AgentEvent> = [
  { type: "text", text: "a" },
  { type: "text", text: "" },
  { type: "text", text: "👩‍👩‍👧" },
  { type: "text", text: long },
  { type: "text", text: "of a sub-agent", parentToolId: "toolu_1" },
  { type: "thinking", text: "hm" },
  { type: "thinking", text: "of a sub-agent", parentToolId: "toolu_1" },
  { type: "notice", kind: "info", message: "a notice" }
]

const indices = Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: kinds.length - 1 })))

const taken = (early: ReturnType<typeof makeEarlyEvents>) => {
  const events: Array<AgentEvent> = []
  let bytes = 0
  early.take((event, size) => {
    events.push(event)
    bytes += size
  })
  return { events, bytes }
}

describe("early events", () => {
  // Events of 30,000 bytes are packed outside of the heap, each few of them.
  for (const size of [7, 30_000]) {
    it.prop(`are given as they came, with the bytes of all: ${size} each`, [indices], ([chosen]) => {
      const events = chosen.flatMap((index) => kinds[index] ?? [])
      const early = makeEarlyEvents(Number.POSITIVE_INFINITY)
      for (const event of events) early.offer(event, size)
      assert.deepStrictEqual(taken(early), { events, bytes: size * events.length })
      assert.strictEqual(early.missed(), 0)
    })
  }

  it("cut in the middle of a character are given as they came, also when they were packed", () => {
    const events: ReadonlyArray<AgentEvent> = [
      { type: "text", text: "\ud83d" },
      { type: "text", text: "\ude00" }
    ]
    const early = makeEarlyEvents(Number.POSITIVE_INFINITY)
    for (const event of [...events, kinds.at(-1) ?? assert.fail()]) early.offer(event, 40_000)
    assert.deepStrictEqual(taken(early).events.slice(0, 2), events)
  })

  it.prop("over the limit are dropped, all that were kept, and counted", [indices], ([chosen]) => {
    const events = chosen.flatMap((index) => kinds[index] ?? [])
    const early = makeEarlyEvents(30)
    for (const event of events) early.offer(event, 10)
    const dropped = events.length - (events.length % 4)
    assert.deepStrictEqual(taken(early).events, events.slice(dropped))
    assert.strictEqual(early.missed(), dropped)
  })
})
