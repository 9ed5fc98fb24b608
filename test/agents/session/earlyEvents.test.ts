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
  it.prop("are given as they came, with the bytes of all", [indices], ([chosen]) => {
    const events = chosen.flatMap((index) => kinds[index] ?? [])
    const early = makeEarlyEvents(Number.POSITIVE_INFINITY)
    for (const event of events) early.offer(event, 7)
    assert.deepStrictEqual(taken(early), { events, bytes: 7 * events.length })
    assert.strictEqual(early.missed(), 0)
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
