/** Files of people come to a path, whole or not at all; what Telegram does not give is told apart. */
import { readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { makeDirectory } from "../../kit/temporary.ts"
import { listenTo, start } from "./kit.ts"

const opened = Effect.gen(function* () {
  const own = yield* start()
  const { heard: received, until } = yield* listenTo(own.channel)
  const folder = yield* makeDirectory
  const fileOf = (at: number) => {
    const { incoming } = received[at] ?? {}
    return incoming?._tag === "Message" ? incoming.message.attachments : []
  }
  const download = (fileId: string, name = "file") =>
    own.channel.download?.(fileId, join(folder, name)) ?? Effect.die("it takes no files")
  return { ...own, until, fileOf, download, path: (name = "file") => join(folder, name) }
})

describe("a file of a message in Telegram", () => {
  it.live("comes whole, for its reader alone", () =>
    Effect.gen(function* () {
      const { tg, until, fileOf, download, path } = yield* opened
      const content = new Uint8Array(3_000_000).map((_, at) => at % 251)
      tg.say("look", { document: { name: "a.bin", content } })
      yield* until(1)
      yield* download(fileOf(0)[0]?.fileId ?? "")
      assert.isTrue(Buffer.from(content).equals(readFileSync(path())))
      assert.strictEqual(statSync(path()).mode & 0o777, 0o600)
    }).pipe(Effect.scoped)
  )

  it.live("is refused if it is too large, gone if it does not exist, and retried if it was cut", () =>
    Effect.gen(function* () {
      const { tg, until, fileOf, download } = yield* opened
      tg.say("", { document: { content: "x", bytes: 21_000_000 } })
      tg.say("", { document: { content: "abc" } })
      yield* until(2)
      const [large, small] = [fileOf(0)[0], fileOf(1)[0]]
      assert.strictEqual(large?.bytes, 21_000_000)
      const tagOf = (fileId = "") => Effect.map(Effect.flip(download(fileId)), ({ reason }) => reason._tag)
      assert.strictEqual(yield* tagOf(large?.fileId), "Refused")
      assert.strictEqual(yield* tagOf("none"), "Gone")
      tg.fail("download", "cutBefore")
      assert.strictEqual(yield* tagOf(small?.fileId), "Unreachable")
      tg.fail("download", { code: 404, description: "Not Found" })
      assert.strictEqual(yield* tagOf(small?.fileId), "Gone")
      const noPlace = yield* Effect.flip(download(small?.fileId ?? "", "no/such/folder"))
      assert.strictEqual(noPlace.reason._tag, "Refused")
      yield* download(small?.fileId ?? "")
    }).pipe(Effect.scoped)
  )
})
