/** Exports of any length: read as they are taken, and nothing within a text is changed. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { exportJson, exportMarkdown } from "../../../src/channels/web/http/exported.ts"
import { exportOf } from "../../../src/channels/web/http/handler.ts"
import type { NewRow, WebRow } from "../../../src/channels/web/rows/row.ts"
import { makeRowTable } from "../../../src/channels/web/rows/rowTable.ts"
import { Store } from "../../../src/conversations/store/Store.ts"

const row = (body: WebRow): NewRow => ({ chat: "a/1", at: 0, body })
const text = (input: string) => row({ row: "event", turn: "t", event: { type: "text", text: input } })
const use = row({ row: "event", turn: "t", event: { type: "tool_use", title: "npm test" } })
const message = (input: string) => row({ row: "message", message: "m", text: input, by: "Ann", state: "sent" })

const withRows = Effect.fnUntraced(function* (rows: ReadonlyArray<NewRow>) {
  const table = makeRowTable(yield* Store, "web")
  yield* table.append(rows, 0)
  return table
})

const all = (body: ReturnType<typeof exportOf>) => Effect.map(Stream.runCollect(body), (parts) => parts.join(""))

describe("an export", () => {
  it.effect("has one blank line between its parts, and leaves those within a text", () =>
    Effect.gen(function* () {
      const code = "```\na\n\n\n\nb\n```"
      const table = yield* withRows([
        message("Look."),
        use,
        text("First, "),
        text(`this:\n\n${code}`),
        use,
        text("Done.\n")
      ])
      const step = "```\nnpm test\n```"
      assert.strictEqual(
        yield* all(exportOf(table, "a/1", exportMarkdown("A title"))),
        ["# A title", "## Ann, 1970-01-01 00:00 UTC", "Look.", step, `First, this:\n\n${code}`, step, "Done.\n"].join(
          "\n\n"
        )
      )
    }).pipe(Effect.provide(Store.layerMemory()))
  )

  it.effect("of many batches has each row once, in order, and is read batch by batch", () =>
    Effect.gen(function* () {
      const table = yield* withRows(Array.from({ length: 1_001 }, (_, at) => message(`m${at}`)))
      let reads = 0
      const counting = {
        ends: table.ends,
        after: (chat: string, id: number) => {
          reads += 1
          return table.after(chat, id)
        }
      }
      const first = yield* Stream.runCollect(Stream.take(exportOf(counting, "a/1", exportJson("t")), 2))
      assert.deepStrictEqual([first.length, reads], [2, 1])
      const whole: { readonly rows: ReadonlyArray<{ readonly text: string }> } = JSON.parse(
        yield* all(exportOf(table, "a/1", exportJson("t")))
      )
      assert.deepStrictEqual(
        whole.rows.map((each) => each.text),
        Array.from({ length: 1_001 }, (_, at) => `m${at}`)
      )
    }).pipe(Effect.provide(Store.layerMemory()))
  )

  it.effect("of nothing is whole, too", () =>
    Effect.gen(function* () {
      const table = yield* withRows([])
      assert.deepStrictEqual(JSON.parse(yield* all(exportOf(table, "a/1", exportJson("t")))), { title: "t", rows: [] })
      assert.strictEqual(yield* all(exportOf(table, "a/1", exportMarkdown("t"))), "# t\n")
    }).pipe(Effect.provide(Store.layerMemory()))
  )
})

describe("rows from before a point", () => {
  it.effect("are as many as eight megabytes have room for, and at least one", () =>
    Effect.gen(function* () {
      const long = "x".repeat(3_000_000)
      const table = yield* withRows([
        message("first"),
        ...[1, 2, 3].map(() => text(long)),
        text("x".repeat(9_000_000)),
        text("y")
      ])
      const idsBefore = (id: number) => Effect.map(table.before("a/1", id, 200), (rows) => rows.map((each) => each.id))
      assert.deepStrictEqual(yield* idsBefore(7), [6])
      assert.deepStrictEqual(yield* idsBefore(6), [5])
      assert.deepStrictEqual(yield* idsBefore(5), [3, 4])
      assert.deepStrictEqual(yield* idsBefore(3), [1, 2])
      assert.strictEqual(yield* table.beforeNewest("a/1", 200), 5)
    }).pipe(Effect.provide(Store.layerMemory()))
  )
})
