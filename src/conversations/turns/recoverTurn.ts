/** Recovers a turn without a holder: its host is dead, or could not write its end. */
import { Clock, Effect } from "effect"
import type { StoreError } from "../../contract/StoreError.ts"
import type { OpenStore } from "../store/OpenStore.ts"
import { writeSpilled } from "./spill.ts"
import { endOfText } from "./storedEnd.ts"
import { orphanTurn, type TurnRow, turnById } from "./turnRows.ts"

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

/** As it is then: free again, interrupted, or at the end that its host had kept. Undefined: it is gone. */
export const recoverTurn = Effect.fnUntraced(function* (store: OpenStore, found: TurnRow) {
  if (found.state !== "claimed" && found.state !== "spawned") return found
  yield* writeSpilled(store)
  const turn = yield* turnById(store, found.turnId)
  if (turn !== undefined) yield* orphanTurn(store, turn, yield* Clock.currentTimeMillis)
  return yield* turnById(store, found.turnId)
})
