/** Raises what a run has reserved where it has spent more. What was reserved is never raised above the limit. */
import { Effect } from "effect"
import type { OpenStore } from "../../../conversations/store/OpenStore.ts"
import { exceeded, type Held, roomOf } from "./held.ts"
import { changeReservation, readReservation, readWindow } from "./windowRows.ts"

/** In a transaction. `error`: there is no room for what it has spent. */
export const raiseIn = Effect.fnUntraced(function* (store: OpenStore, id: string, held: Held, cost: number) {
  const { window } = held
  const [sums, own] = [yield* readWindow(store, window), yield* readReservation(store, id, window)]
  // Closed in the meantime: nothing is to be raised.
  if (sums === undefined || own === undefined) return { held, error: undefined }
  const room = roomOf(held, sums, own)
  const amount = Math.max(own, Math.min(cost + held.step, room))
  if (amount !== own) yield* changeReservation(store, id, window, amount - own)
  const error = cost > room ? exceeded(window, sums, own, cost) : undefined
  return { held: { ...held, amount, spent: sums.spent }, error }
})

/** Without the store: what is certain, since what others spend is only added to what was known. */
export const exceededForCertain = ({ window, spent, amount }: Held, cost: number) =>
  spent + cost > window.definition.limit ? exceeded(window, { spent, reserved: amount }, amount, cost) : undefined
