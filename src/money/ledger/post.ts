/** Ends a run or turn in one transaction, idempotent: removes its row and reservation, adds its entries. */
import { Effect, Schema } from "effect"
import type { OpenStore } from "../../conversations/store/OpenStore.ts"
import { makeSpill } from "../../conversations/store/spill.ts"
import { addToWindows, closeReservations } from "./budgets/windowRows.ts"
import { deleteOpen, Entry, insertEntry } from "./rows.ts"

/** Also as JSON in a file: it is checked when it is read. */
export const Posting = Schema.Struct({ id: Schema.String, entries: Schema.Array(Entry) })
export type Posting = typeof Posting.Type

/** Each posting has an entry: one that is there says that the run or turn was posted before, as an estimate perhaps. */
const isPosted = ({ sql }: OpenStore, entries: Posting["entries"]) => {
  const [first] = entries
  if (first === undefined) return Effect.succeed(false)
  const found = sql`select entry_id from usage_entries
    where run_id = ${first.runId} and coalesce(turn_id, '') = ${first.turnId ?? ""} limit 1`
  return Effect.map(found, (rows) => rows.length > 0)
}

/** `isLost`: by another than its host, which may have removed its row meanwhile: then it is over, and had nothing to post. */
export const post = (store: OpenStore, { id, entries }: Posting, isLost = false) =>
  store.transact(
    Effect.gen(function* () {
      const wasOpen = yield* deleteOpen(store, id)
      if (isLost && !wasOpen) return
      if (!(yield* isPosted(store, entries))) {
        for (const entry of entries) if (yield* insertEntry(store, entry)) yield* addToWindows(store, entry)
      }
      yield* closeReservations(store, id)
    })
  )

export const { writeOrKeep: postOrSpill, writeKept: postSpilled } = makeSpill({
  folder: "unwritten-usage",
  schema: Posting,
  subject: "the usage of a run",
  mostBytes: 4 * 1024 * 1024,
  write: post
})
