/** Readers of other pages' data are woken, and no others. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Latch } from "effect"
import { type PeerTable, watchPeers } from "../../../../src/channels/web/peers/peerTable.ts"
import { makeHub } from "../../../../src/channels/web/rows/hub.ts"

const open = Effect.fnUntraced(function* (list: PeerTable["list"]) {
  const hub = makeHub()
  const reader = hub.join("ann", { account: "web.there", chat: "ann/1" })
  const own = hub.join("ann", { account: "web.here", chat: "ann/2" })
  let newest = 1
  const request: Array<ReadonlyArray<string>> = []
  const isAsked = Latch.makeUnsafe(false)
  /** So many more looks at its rows. */
  const looks = (count: number): Effect.Effect<void> =>
    count === 0
      ? Effect.void
      : Effect.andThen(
          Effect.suspend(() => {
            isAsked.closeUnsafe()
            return isAsked.await
          }),
          Effect.suspend(() => looks(count - 1))
        )
  const peers: Pick<PeerTable, "newest" | "list"> = {
    list,
    newest: (_, chats) =>
      Effect.sync(() => {
        request.push(chats)
        isAsked.openUnsafe()
        return chats.map((chat) => [chat, newest] as const)
      })
  }
  yield* watchPeers({ account: "web.here", peers, hub })
  const write = Effect.sync(() => {
    newest += 1
  })
  return { reader, own, write, asked: request, looks }
})

describe("a reader of another page's conversation", () => {
  it.live("is woken by its rows, while lists are still looked at", () =>
    Effect.gen(function* () {
      const isAsked = yield* Deferred.make<void>()
      const never = () => Effect.andThen(Deferred.succeed(isAsked, undefined), Effect.never)
      const { reader, own, write, asked: request } = yield* open(never)
      yield* reader.latch.await
      yield* Deferred.await(isAsked)
      reader.latch.closeUnsafe()
      yield* write
      yield* reader.latch.await
      assert.isFalse(own.latch.isOpen())
      assert.deepStrictEqual(request[0], ["ann/1"])
    }).pipe(Effect.scoped)
  )

  it.live("is not woken where nothing was written", () =>
    Effect.gen(function* () {
      const { reader, looks } = yield* open(() => Effect.succeed([]))
      // Its list is sent once more when it is known.
      yield* reader.latch.await
      yield* looks(6)
      reader.latch.closeUnsafe()
      reader.isStale = false
      yield* looks(6)
      assert.isFalse(reader.latch.isOpen())
      assert.isFalse(reader.isStale)
    }).pipe(Effect.scoped)
  )
})
