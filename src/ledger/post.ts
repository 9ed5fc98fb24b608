/**
 * The end of a run or a turn in the ledger: its row is removed, its entries are added to the ledger and to the windows of
 * budgets, and what it had reserved is free, in one transaction. Posted twice, it changes no more than once.
 */
import { Effect, Schema } from "effect"
import type { OpenStore } from "../store/OpenStore.ts"
import { addToWindows, closeReservations } from "./budgets/sums.ts"
import { deleteOpen, Entry, insertEntry } from "./rows.ts"

/** Also as JSON in a file: it is checked when it is read. */
export const Posting = Schema.Struct({
  /** The run, the session or the turn. */
  id: Schema.String,
  /** Its row was written: where it is gone, the entries were posted before. */
  isOpen: Schema.Boolean,
  entries: Schema.Array(Entry)
})
export type Posting = typeof Posting.Type

export const post = (store: OpenStore, { id, isOpen, entries }: Posting) =>
  store.transact(
    Effect.gen(function* () {
      const wasOpen = yield* deleteOpen(store, id)
      if (isOpen && !wasOpen) return
      for (const entry of entries) if (yield* insertEntry(store, entry)) yield* addToWindows(store, entry)
      yield* closeReservations(store, id)
    })
  )
