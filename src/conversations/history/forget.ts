/**
 * Forgets a session: the texts of its turns, its transcript, its row, and the conversation's memory of it. The files of its
 * CLI are never touched.
 */
import { Effect } from "effect"
import type { SessionRef } from "../../contract/Sessions.ts"
import type { StoreError } from "../../contract/StoreError.ts"
import { removeTranscript } from "../transcript/rows.ts"
import { whileFree } from "./change.ts"
import type { HistoryContext } from "./context.ts"
import { findRow } from "./find.ts"

/** Refused while it is used. */
export const forgetSession = Effect.fnUntraced(function* (
  context: HistoryContext,
  ref: SessionRef
): Effect.fn.Return<void, StoreError> {
  const { store } = context
  const { sql, transact } = store
  const row = yield* findRow(context, ref)
  const emptied = Effect.gen(function* () {
    yield* sql`update turns set prompt = null, params = null, result = null where session_key = ${row.key}`
    yield* sql`delete from conversations where session_key = ${row.key}`
    yield* sql`delete from sessions where key = ${row.key}`
  })
  // A long transcript first, in small steps; if this ends in between, the session is still there to be forgotten.
  yield* whileFree(context, row, Effect.andThen(removeTranscript(store, row.key), transact(emptied)))
})
