/** Listeners of a session: the first gets all events, later ones get the events from then on. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Stream } from "effect"
import { type Broadcast, makeBroadcast } from "../../../src/agents/session/broadcast.ts"
import type { AgentEvent } from "../../../src/contract/AgentEvent.ts"
import { openFilesIn, ownTmpdir } from "../../kit/files.ts"

const text = (name: string): AgentEvent => ({ type: "text", text: name })

const offer = (broadcast: Broadcast, ...names: ReadonlyArray<string>) => {
  for (const name of names) broadcast.offer(text(name), 100)
}

const words = (events: ReadonlyArray<AgentEvent>) =>
  events.map((event) => (event.type === "text" ? event.text : event.type))

const listen = (broadcast: Broadcast) =>
  Effect.forkChild(Effect.map(Stream.runCollect(broadcast.events), words), { startImmediately: true })

describe("the broadcast", () => {
  it.effect("gives the first listener what was before it, and all that follows", () =>
    Effect.gen(function* () {
      const broadcast = makeBroadcast()
      offer(broadcast, "a", "b")
      const first = yield* listen(broadcast)
      offer(broadcast, "c")
      broadcast.end()
      assert.deepStrictEqual(yield* Fiber.join(first), ["a", "b", "c"])
    })
  )

  it.effect("gives a later listener the events from then on, each at its own pace", () =>
    Effect.gen(function* () {
      const broadcast = makeBroadcast()
      offer(broadcast, "a")
      const first = yield* listen(broadcast)
      offer(broadcast, "b")
      const second = yield* listen(broadcast)
      offer(broadcast, "c")
      broadcast.end()
      assert.deepStrictEqual(yield* Fiber.join(first), ["a", "b", "c"])
      assert.deepStrictEqual(yield* Fiber.join(second), ["c"])
    })
  )

  it.effect("gives all of it to the first listener after the end, and the last event to those behind", () =>
    Effect.gen(function* () {
      const broadcast = makeBroadcast()
      offer(broadcast, "a", "b")
      broadcast.end()
      assert.deepStrictEqual(words(yield* Stream.runCollect(broadcast.events)), ["a", "b"])
      assert.deepStrictEqual(words(yield* Stream.runCollect(broadcast.events)), ["b"])
      assert.deepStrictEqual(words(yield* Stream.runCollect(broadcast.events)), ["b"])
    })
  )

  it.effect("has no listeners and ends", () =>
    Effect.gen(function* () {
      const broadcast = makeBroadcast()
      broadcast.end()
      assert.deepStrictEqual(yield* Stream.runCollect(broadcast.events), [])
      assert.deepStrictEqual(yield* Stream.runCollect(broadcast.events), [])
    })
  )

  it.effect("drops events beyond the limit without listeners, and reports how many", () =>
    Effect.gen(function* () {
      const broadcast = makeBroadcast(250)
      offer(broadcast, "a", "b", "c", "d")
      const first = yield* listen(broadcast)
      offer(broadcast, "e")
      broadcast.end()
      const second = yield* listen(broadcast)
      assert.deepStrictEqual(yield* Fiber.join(first), ["notice", "d", "e"])
      assert.deepStrictEqual(yield* Fiber.join(second), ["e"])
    })
  )

  it.effect("counts all that it let go", () =>
    Effect.gen(function* () {
      const broadcast = makeBroadcast(250)
      offer(broadcast, "a", "b", "c", "d", "e", "f", "g")
      const [notice] = yield* Stream.runCollect(Stream.take(broadcast.events, 1))
      assert.deepInclude(notice, { type: "notice", kind: "warning", data: { events: 6 } })
    })
  )

  it.effect("leaves no file open of what it let go", () =>
    Effect.gen(function* () {
      const directory = yield* ownTmpdir
      const broadcast = makeBroadcast()
      const word: AgentEvent = { type: "text", text: "a" }
      // Each half of what is kept, and a bit more.
      for (let round = 0; round < 10; round++) broadcast.offer(word, 9 * 1024 * 1024)
      assert.deepStrictEqual(openFilesIn(directory), [])
    })
  )

  it.effect("forgets a listener that has gone", () =>
    Effect.gen(function* () {
      const broadcast = makeBroadcast()
      offer(broadcast, "a")
      assert.deepStrictEqual(words(yield* Stream.runCollect(Stream.take(broadcast.events, 1))), ["a"])
      offer(broadcast, "b")
      const second = yield* listen(broadcast)
      offer(broadcast, "c")
      broadcast.end()
      assert.deepStrictEqual(yield* Fiber.join(second), ["c"])
    })
  )
})
