/** Pushed chunks are read in order and completely, whatever the order of pushes and pulls. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Stream } from "effect"
import { makeInbox } from "../../../src/system/process/inbox.ts"

const bytes = (...values: ReadonlyArray<number>) => Uint8Array.from(values)

const heardOf = (stream: Stream.Stream<Uint8Array>) => {
  const received: Array<ReadonlyArray<number>> = []
  const read = Stream.runForEachArray(stream, (chunks) =>
    Effect.sync(() => received.push(chunks.flatMap((chunk) => [...chunk])))
  )
  return { heard: received, read }
}

describe("the inbox", () => {
  it.effect("gives earlier chunks at once, and each later chunk within its push", () =>
    Effect.gen(function* () {
      const inbox = makeInbox()
      const { heard: received, read } = heardOf(inbox.stream)
      inbox.push(bytes(1))
      inbox.push(bytes(2))
      const reading = yield* Effect.forkChild(read, { startImmediately: true })
      assert.deepStrictEqual(received, [[1, 2]])
      inbox.push(bytes(3))
      assert.deepStrictEqual(received, [[1, 2], [3]])
      inbox.end()
      yield* Fiber.join(reading)
    })
  )

  it.effect("ends after the chunks that have arrived, and ignores later ones", () =>
    Effect.gen(function* () {
      const inbox = makeInbox()
      const { heard: received, read } = heardOf(inbox.stream)
      inbox.push(bytes(1))
      inbox.end()
      inbox.push(bytes(2))
      yield* read
      assert.deepStrictEqual(received, [[1]])
    })
  )

  it.effect("keeps chunks that arrive without a reader", () =>
    Effect.gen(function* () {
      const inbox = makeInbox()
      const { heard: received, read } = heardOf(inbox.stream)
      const first = yield* Effect.forkChild(read, { startImmediately: true })
      yield* Fiber.interrupt(first)
      inbox.push(bytes(1))
      inbox.end()
      yield* read
      assert.deepStrictEqual(received, [[1]])
    })
  )
})
