/** Two runs that need one name for two things: the second waits, and is never given the server of the first. */
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { SettingsDisk } from "../../../src/system/settings/disk.ts"
import { assertAsBefore, assertHas, makeProcesses, recover, take, watchedReads, workspace } from "./workspace.ts"

const base = '{\n  "servers": { "own": { "url": "x" } }\n}\n'
const host = makeProcesses().start()

layer(Layer.empty, { excludeTestServices: true })("a member that two runs define in two ways", (it) => {
  const ours = (command: string) => ({ servers: { same: { command } } })

  it.effect("the second waits until the first has given back", () =>
    Effect.gen(function* () {
      const processes = makeProcesses()
      const input = yield* workspace({ text: base })
      const first = yield* take(input, processes.start(), ours("first"))
      const { disk, reached } = watchedReads(3)
      const taking = Effect.provideService(take(input, processes.start(), ours("second")), SettingsDisk, disk)
      const second = yield* Effect.forkChild(taking)
      yield* reached
      assert.isUndefined(second.pollUnsafe())
      assertHas(input, ours("first"))
      yield* first.release
      const held = yield* Fiber.join(second)
      assertHas(input, ours("second"))
      // Its claim is held, although its first attempts were in vain.
      yield* recover(input, processes.start())
      assertHas(input, ours("second"))
      yield* held.end
      assertAsBefore(input)
    })
  )

  it.effect("the same definition is shared until the last has given back", () =>
    Effect.gen(function* () {
      const input = yield* workspace({ text: base })
      const first = yield* take(input, host, ours("same"))
      const second = yield* take(input, host, ours("same"))
      yield* first.end
      assertHas(input, ours("same"))
      yield* second.end
      assertAsBefore(input)
    })
  )

  it.effect("gives up in the end, by name", () =>
    Effect.gen(function* () {
      const input = yield* workspace({ text: base })
      const first = yield* take(input, host, ours("first"))
      const error = yield* Effect.flip(take(input, host, ours("second"), { patience: "60 millis" }))
      assert.match(error.message, /is in use by another run that defines "servers\.same" differently: /)
      assertHas(input, ours("first"))
      yield* first.end
      assertAsBefore(input)
    })
  )

  it.effect("an attempt in vain reads the journal once: a waiting run makes forty in a second", () =>
    Effect.gen(function* () {
      const input = yield* workspace({ text: base })
      const first = yield* take(input, host, ours("first"))
      const disk = watchedReads(1)
      const taking = take(input, host, ours("second"), { patience: 0 })
      yield* Effect.flip(Effect.provideService(taking, SettingsDisk, disk.disk))
      assert.strictEqual(disk.reads(), 1)
      yield* first.end
      assertAsBefore(input)
    })
  )

  it.effect("waiting can be interrupted, and nothing is left", () =>
    Effect.gen(function* () {
      const input = yield* workspace({ text: base })
      const first = yield* take(input, host, ours("first"))
      const { disk, reached } = watchedReads(2)
      const taking = Effect.provideService(take(input, host, ours("second")), SettingsDisk, disk)
      const second = yield* Effect.forkChild(taking)
      yield* reached
      yield* Fiber.interrupt(second)
      yield* first.end
      assertAsBefore(input)
    })
  )
})
