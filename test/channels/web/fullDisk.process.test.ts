/** A page whose store takes nothing for a while: people are told why, nothing is lost, and all goes on without a restart. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { StoreUnavailable } from "../../../src/contract/AgentError.ts"
import { StoreError } from "../../../src/contract/StoreError.ts"
import type { OpenStore } from "../../../src/conversations/store/OpenStore.ts"
import { Store } from "../../../src/conversations/store/Store.ts"
import { openIn } from "../../conversations/store/stores.ts"
import { openPage, uuid } from "./page.ts"

describe("a page on a full disk", () => {
  it.live("tells the sender, and takes the same message once when the disk has room again", () =>
    Effect.gen(function* () {
      const store = yield* openIn(Store.layerMemory())
      const full = new StoreError({ reason: new StoreUnavailable({ problem: "no space is left on its disk" }) })
      let isFull = false
      const small: OpenStore = {
        ...store,
        transact: (work) => Effect.suspend(() => (isFull ? Effect.fail(full) : store.transact(work)))
      }
      const script = [{ type: "text", text: "heard" } as const]
      const { you } = yield* openPage({ script, store: Layer.succeed(Store, small) })
      const message = { id: uuid(), conversation: you.conversation, text: "hello" }
      isFull = true
      assert.deepStrictEqual(yield* you.post("./messages", message), {
        status: 503,
        error: "The store takes nothing for now, so nothing was done.",
        help: "The store cannot be used: no space is left on its disk. Try again in a moment."
      })
      isFull = false
      assert.strictEqual((yield* you.post("./messages", message)).status, 202)
      assert.strictEqual((yield* you.post("./messages", message)).status, 202)
      const page = yield* you.read()
      const rows = yield* page.until((all) => all.some(({ row }) => row === "answer") && all)
      assert.lengthOf(
        rows.filter(({ row }) => row === "message"),
        1
      )
    }).pipe(Effect.scoped)
  )
})
