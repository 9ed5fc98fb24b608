/**
 * A turn that its host cut off, since the host itself was stopped, counts as interrupted: its row says aborted, as of one that
 * its caller did not want any more. Only the caller can tell the two apart.
 */
import { Effect } from "effect"
import type { StoreError } from "../../contract/StoreError.ts"
import type { OpenStore } from "../store/OpenStore.ts"
import { endOfText } from "./storedEnd.ts"
import { turnById } from "./turnRows.ts"

/** Any other turn stays as it is. */
export const reopenTurn = Effect.fnUntraced(function* (
  store: OpenStore,
  turnId: string
): Effect.fn.Return<void, StoreError> {
  const turn = yield* turnById(store, turnId)
  if (turn?.state !== "done" || turn.result === undefined) return
  if (endOfText(turn.result)?.result.outcome !== "aborted") return
  const { sql, transact } = store
  yield* transact(sql`update turns set state = 'interrupted' where turn_id = ${turnId} and state = 'done'`)
})
