/** The events of a turn on their way: in order, with their end, and bounded if the store does not take them. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import { makeEventWriter, readEvents } from "../../src/cluster/eventLog.ts"
import type { AgentEvent } from "../../src/contract/AgentEvent.ts"
import { Store } from "../../src/conversations/store/Store.ts"

const text = (content: string): AgentEvent => ({ type: "text", text: content })

describe("the events of a turn", () => {
  it.effect("come in pages, in their order, and go on where another writer ended", () =>
    Effect.gen(function* () {
      const store = yield* Store
      for (const [from, isOver] of [
        [0, false],
        [300, true]
      ] as const) {
        const writer = yield* makeEventWriter(store, "t")
        for (let at = from; at < from + 300; at += 1) writer.push(text(String(at)))
        yield* writer.end(isOver)
      }
      const content: Array<string> = []
      let page = yield* readEvents(store, "t", 0)
      while (page.events.length > 0) {
        content.push(...page.events.map((event) => (event.type === "text" ? event.text : event.type)))
        if (page.isOver) break
        page = yield* readEvents(store, "t", page.next)
      }
      assert.deepStrictEqual(
        content,
        Array.from({ length: 600 }, (_, at) => String(at))
      )
      assert.isTrue(page.isOver)
    }).pipe(Effect.scoped, Effect.provide(Store.layerMemory()))
  )

  it.effect("have their images where there is room for them, and else their sizes", () =>
    Effect.gen(function* () {
      const store = yield* Store
      const writer = yield* makeEventWriter(store, "t")
      const result = { type: "tool_result", toolId: "t", output: "[image]", isError: false } as const
      const image = { mediaType: "image/png", bytes: 3_000_000 } as const
      const data = "A".repeat(2_000_000)
      const one: AgentEvent = { ...result, media: [{ ...image, data }] }
      writer.push(one)
      writer.push({
        ...result,
        raw: data,
        media: [
          { ...image, data },
          { ...image, data: "B".repeat(500_000) }
        ]
      })
      writer.push({ ...result, raw: "A".repeat(5_000_000), media: [image] })
      yield* writer.end(true)
      const { events } = yield* readEvents(store, "t", 0)
      assert.deepStrictEqual(events.slice(0, 2), [one, { ...result, raw: data, media: [image, image] }])
      assert.deepStrictEqual(
        events.map(({ type }) => type),
        ["tool_result", "tool_result", "notice"]
      )
    }).pipe(Effect.scoped, Effect.provide(Store.layerMemory()))
  )

  it.effect("are left out, with a notice, if the store takes nothing", () =>
    Effect.gen(function* () {
      const store = yield* Store
      const free = yield* Deferred.make<void>()
      const stuck: typeof store = {
        ...store,
        transact: (work) => Effect.andThen(Deferred.await(free), store.transact(work))
      }
      const writer = yield* makeEventWriter(stuck, "t")
      const long = "x".repeat(1024 * 1024)
      writer.push(text("first"))
      yield* Effect.yieldNow
      for (let at = 0; at < 200; at += 1) writer.push(text(long))
      yield* Deferred.succeed(free, undefined)
      yield* writer.end(true)
      const { events, isOver } = yield* readEvents(store, "t", 0)
      const stored = events.filter((event) => event.type === "text").length
      assert.isBelow(stored, 40)
      assert.isAbove(stored, 20)
      assert.strictEqual(events.filter((event) => event.type === "notice").length, 1)
      assert.isTrue(isOver)
    }).pipe(Effect.scoped, Effect.provide(Store.layerMemory()))
  )
})
