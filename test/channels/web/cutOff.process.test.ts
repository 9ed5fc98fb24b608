/** People who are cut off in the middle: what they said is heard, and what they sent in part is not kept. */
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Context, Deferred, Effect, Fiber, Layer } from "effect"
import { Files, makeFiles } from "../../../src/channels/web/files.ts"
import { Arrived, Presses } from "../../../src/channels/web/incoming.ts"
import { ConversationTable } from "../../../src/channels/web/rows/conversationTable.ts"
import { Hub } from "../../../src/channels/web/rows/hub.ts"
import { RowLog } from "../../../src/channels/web/rows/rowLog.ts"
import { makeRowTable, RowTable } from "../../../src/channels/web/rows/rowTable.ts"
import { TurnProjection } from "../../../src/channels/web/turnProjection.ts"
import { UserActions } from "../../../src/channels/web/userActions.ts"
import type { OpenStore } from "../../../src/conversations/store/OpenStore.ts"
import { Store } from "../../../src/conversations/store/Store.ts"
import { openStateDirectory } from "../../../src/system/locks/stateDirectory.ts"
import { onePage, uuid } from "./page.ts"

const ann = { id: "ann" }

/** A store whose changes end when they may. */
const held = Effect.gen(function* () {
  const store = yield* Store
  const [begun, may] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
  const wait = Effect.andThen(Deferred.succeed(begun, undefined), Deferred.await(may))
  const holding: OpenStore = { ...store, transact: (work) => Effect.tap(store.transact(work), () => wait) }
  return { store, holding, begun: Deferred.await(begun), go: Deferred.succeed(may, undefined) }
})

/** A page's actions, whose rows are written by a store of their own. */
const opened = Effect.fnUntraced(function* (logged: OpenStore) {
  const layer = UserActions.layer.pipe(
    Layer.provideMerge(Layer.mergeAll(TurnProjection.layer, Files.layer, Presses.layer)),
    Layer.provideMerge(Layer.provide(RowLog.layer, Layer.succeed(RowTable, makeRowTable(logged, "web")))),
    Layer.provideMerge(Layer.mergeAll(RowTable.layer, ConversationTable.layer, Hub.layer, Arrived.layer)),
    Layer.provide(onePage)
  )
  const services = yield* Layer.build(layer)
  const { watch } = Context.get(services, TurnProjection)
  yield* watch({ _tag: "Served", agents: ["a"], agent: "a", directories: [], roleOf: () => "user" })
  const { say } = Context.get(services, UserActions)
  return { say, arrived: Context.get(services, Arrived), table: Context.get(services, RowTable) }
})

describe("a message", () => {
  it.effect("whose sender is gone once it is in the store is told to the bridge", () =>
    Effect.gen(function* () {
      const { holding, begun, go } = yield* held
      const { say, arrived, table } = yield* opened(holding)
      const saying = yield* Effect.forkChild(say(ann, { id: uuid(), conversation: uuid(), text: "hello" }))
      yield* begun
      saying.interruptUnsafe()
      yield* go
      yield* Fiber.await(saying)
      assert.strictEqual((yield* table.heard(0)).length, 1)
      assert.isTrue(arrived.isOpen())
    }).pipe(Effect.scoped, Effect.provide(Store.layerMemory()))
  )

  it.effect("that comes again is told again: the bridge may not know of the first", () =>
    Effect.gen(function* () {
      const { say, arrived, table } = yield* opened(yield* Store)
      const wish = { id: uuid(), conversation: uuid(), text: "hello" }
      yield* say(ann, wish)
      arrived.closeUnsafe()
      yield* say(ann, wish)
      assert.isTrue(arrived.isOpen())
      assert.strictEqual((yield* table.heard(0)).length, 1)
    }).pipe(Effect.scoped, Effect.provide(Store.layerMemory()))
  )
})

describe("a file", () => {
  const input = { name: "a.bin", mimeType: undefined }
  const stored = Effect.map(
    openStateDirectory("web"),
    (state) => readdirSync(join(state, "web"), { recursive: true }).length
  )

  it.effect("whose sender is gone before it is in the store leaves nothing behind", () =>
    Effect.gen(function* () {
      const { holding, begun, go } = yield* held
      const files = yield* makeFiles(holding, uuid(), 1_000)
      const before = yield* stored
      const body = async function* () {
        yield new Uint8Array(10)
      }
      const sending = yield* Effect.forkChild(files.upload("ann", input, body()))
      yield* begun
      assert.strictEqual(yield* stored, before + 1)
      sending.interruptUnsafe()
      yield* go
      yield* Fiber.await(sending)
      assert.strictEqual(yield* stored, before)
    }).pipe(Effect.scoped, Effect.provide(Store.layerMemory()))
  )

  it.live("whose sender is gone in its midst is not written on", () =>
    Effect.gen(function* () {
      const files = yield* makeFiles(yield* Store, uuid(), 1_000)
      const before = yield* stored
      const [request, more] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const closed = yield* Deferred.make<void>()
      const body = async function* () {
        try {
          yield new Uint8Array(10)
          await Effect.runPromise(Effect.andThen(Deferred.succeed(request, undefined), Deferred.await(more)))
          yield new Uint8Array(10)
        } finally {
          await Effect.runPromise(Deferred.succeed(closed, undefined))
        }
      }
      const sending = yield* Effect.forkChild(files.upload("ann", input, body()))
      yield* Deferred.await(request)
      yield* Fiber.interrupt(sending)
      yield* Deferred.succeed(more, undefined)
      yield* Deferred.await(closed)
      assert.strictEqual(yield* stored, before)
    }).pipe(Effect.scoped, Effect.provide(Store.layerMemory()))
  )

  it.live("of several that come at once is refused where together they are too much", () =>
    Effect.gen(function* () {
      const files = yield* makeFiles(yield* Store, uuid(), 4_000_000, 5_000_000)
      const chunk = new Uint8Array(1_000_000)
      const body = async function* () {
        for (let sent = 0; sent < 3; sent++) yield chunk
      }
      const stored = yield* Effect.forEach([1, 2], () => files.upload("ann", input, body()), { concurrency: 2 })
      assert.deepStrictEqual(stored.filter((each) => each === "too many").length, 1)
      for (const file of stored) if (typeof file === "object") assert.strictEqual(file.bytes, 3_000_000)
    }).pipe(Effect.scoped, Effect.provide(Store.layerMemory()))
  )

  it.live("of many that come at once waits for those before it, and counts once", () =>
    Effect.gen(function* () {
      const files = yield* makeFiles(yield* Store, uuid(), 1_000, 20_000)
      let [open, most] = [0, 0]
      const body = async function* () {
        open += 1
        most = Math.max(most, open)
        yield new Uint8Array(1_000)
        open -= 1
      }
      const all = Array.from({ length: 20 })
      const uploaded = yield* Effect.forEach(all, () => files.upload("ann", input, body()), { concurrency: 20 })
      assert.deepStrictEqual(
        uploaded.filter((each) => typeof each === "string"),
        []
      )
      assert.isAtMost(most, 4)
      const held = yield* Deferred.make<void>()
      const endless = async function* () {
        yield new Uint8Array(1)
        await Effect.runPromise(Deferred.await(held))
      }
      const ofBob = Array.from({ length: 40 }, () => files.upload("bob", input, endless()))
      const refused = yield* Effect.raceAllFirst(ofBob)
      assert.strictEqual(refused, "too many at once")
      yield* Deferred.succeed(held, undefined)
    }).pipe(Effect.scoped, Effect.provide(Store.layerMemory()))
  )
})
