/** Rows on their way into the store: one that cannot be made or written holds up no other. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { makeHub } from "../../../src/channels/web/rows/hub.ts"
import type { WebRow } from "../../../src/channels/web/rows/row.ts"
import { makeRowLog } from "../../../src/channels/web/rows/rowLog.ts"
import { makeRowTable } from "../../../src/channels/web/rows/rowTable.ts"
import { Store } from "../../../src/conversations/store/Store.ts"

const note = (text: string): WebRow => ({ row: "host", what: "notice", text, blocks: [] })
const later = (take: () => WebRow) => ({ chat: "a/1", at: 1, take })

describe("a row", () => {
  it.effect("that cannot be made, or not be written, is left out and told; those beside it are there", () =>
    Effect.gen(function* () {
      const table = makeRowTable(yield* Store, "web")
      const { put, commit } = yield* makeRowLog(table, makeHub())
      const hostile = Object.assign(note("never"), { toJSON: () => assert.fail("it is not JSON") })
      put([
        later(() => note("one")),
        later(() => assert.fail("it is broken")),
        later(() => hostile),
        later(() => note("two"))
      ])
      yield* commit([])
      const texts = (yield* table.after("a/1", 0)).map(({ json }) => JSON.parse(json).text)
      assert.deepStrictEqual(texts.slice(0, 2), ["one", "two"])
      assert.match(texts[2], /^2 steps of the agent could not be kept/)
      assert.strictEqual(texts.length, 3)
    }).pipe(Effect.scoped, Effect.provide(Store.layerMemory()))
  )
})
