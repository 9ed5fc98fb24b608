/** A turn that nobody has in hand: its host is dead, or could not write its end. */
import { Clock, Effect } from "effect"
import type { OpenStore } from "../store/OpenStore.ts"
import { writeSpilled } from "./spill.ts"
import { orphanTurn, type TurnRow, turnById } from "./turnRows.ts"

/** As it is then: free again, interrupted, or at the end that its host had kept. Undefined: it is gone. */
export const recoverTurn = Effect.fnUntraced(function* (store: OpenStore, found: TurnRow) {
  if (found.state !== "claimed" && found.state !== "spawned") return found
  yield* writeSpilled(store)
  const turn = yield* turnById(store, found.turnId)
  if (turn !== undefined) yield* orphanTurn(store, turn, yield* Clock.currentTimeMillis)
  return yield* turnById(store, found.turnId)
})
