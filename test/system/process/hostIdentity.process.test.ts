/** A host is identified by its pid and start, within one boot and one pid namespace. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Host, hostIdentity, isHostAlive, makeHost } from "../../../src/system/process/host.ts"
import { noProcessTable } from "../../../src/system/process/processTable.ts"

describe("the identity of a host", () => {
  it.live("tells this host from one that had its pid before", () =>
    Effect.gen(function* () {
      const own = yield* hostIdentity
      assert.deepInclude(own, { pid: process.pid, id: (yield* Host).id })
      assert.isTrue(yield* isHostAlive(own))
      assert.isFalse(yield* isHostAlive({ ...own, start: "0" }))
      assert.isFalse(yield* isHostAlive({ ...own, pid: 2 ** 22 + 1 }))
    })
  )

  it.live("cannot tell across boots and pid namespaces, nor where processes cannot be listed", () =>
    Effect.gen(function* () {
      const own = yield* hostIdentity
      assert.isUndefined(yield* isHostAlive({ ...own, realm: "elsewhere" }))
      assert.isUndefined(yield* isHostAlive({ ...own, realm: undefined }))
      const none = makeHost(process.platform, noProcessTable)
      const there = yield* Effect.provideService(hostIdentity, Host, none)
      assert.deepStrictEqual(there, { id: none.id, pid: process.pid, start: undefined, realm: undefined })
      assert.isUndefined(yield* isHostAlive(there))
    })
  )
})
