/** Writes the end of a run, within the time that its `done` waits for it. */
import { Effect } from "effect"
import type { OpenStore } from "../store/OpenStore.ts"
import { type Settlement, writeSettlement } from "./settlement.ts"

export const settleOrSpill = (store: OpenStore, settlement: Settlement): Effect.Effect<void> =>
  Effect.catch(writeSettlement(store, settlement), (error) =>
    Effect.logWarning(`the end of a turn is not in the store: ${error.message}`)
  )
