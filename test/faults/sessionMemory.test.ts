/** Fifty turns in one process, for every CLI value: what is over is forgotten, and no process is left over. */
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { vi } from "vitest"
import { ids, open, script, turnResult } from "../kit/live.ts"

vi.setConfig({ testTimeout: 60_000 })

setFlagsFromString("--expose-gc")
const gc: () => void = runInNewContext("gc")

const heapMiB = () => {
  gc()
  return process.memoryUsage().heapUsed / 1024 / 1024
}

/** A turn brings 2 MB of text in 200 pieces. */
const piece = "x".repeat(10_000)
const turn = script({ times: { count: 200, text: piece } })

/** The memory that 40 turns may leave: each has emitted fifty times as much. */
const boundMiB = 8

describe.each(ids)("%s", (id) => {
  it.live("holds no turn that is over", () =>
    Effect.gen(function* () {
      const { session, alive } = yield* open(id, {}, {}, { isHeard: false })
      yield* Effect.forkScoped(Stream.runDrain(session.events))
      const take = Effect.map(
        Stream.runFold(
          session.turn(turn),
          () => 0,
          (count) => count + 1
        ),
        (count) => {
          assert.isAtLeast(count, 200)
        }
      )
      yield* Effect.repeat(take, { times: 9 })
      const before = heapMiB()
      yield* Effect.repeat(take, { times: 39 })
      assert.isBelow(heapMiB() - before, boundMiB)
      assert.strictEqual(alive().length, 1)
      const last = yield* Stream.runCollect(session.turn("last"))
      assert.strictEqual(turnResult(last).text, "last")
    })
  )

  it.live("keeps no more than 16 MiB for those who may come to hear", () =>
    Effect.gen(function* () {
      const { session } = yield* open(id, {}, {}, { isHeard: false })
      const take = Stream.runDrain(session.turn(turn))
      yield* take
      const before = heapMiB()
      yield* Effect.repeat(take, { times: 39 })
      assert.isBelow(heapMiB() - before, 16 + boundMiB)
      const [first] = yield* Stream.runCollect(Stream.take(session.events, 1))
      assert.deepInclude(first, { type: "notice", kind: "warning" })
    })
  )
})
