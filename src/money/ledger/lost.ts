/**
 * Runs whose host has died: their lock is free, and their row is still there. What they were last known to have used becomes
 * an entry, an estimate, or one of which nothing is known; what they had reserved is free again. Each home does so for its
 * own runs, since it alone sees its locks. Never by time: a clock that jumps frees nothing.
 */
import { Effect } from "effect"
import type { NameLocks } from "../../conversations/store/nameLocks.ts"
import type { OpenStore } from "../../conversations/store/OpenStore.ts"
import type { Pricing } from "../prices/pricing.ts"
import { entryOf } from "./entries.ts"
import { post, postSpilled } from "./post.ts"
import { priced } from "./priced.ts"
import { type OpenRow, openOfHome } from "./rows.ts"

/** A live session has no usage beside that of its turns, as far as is known. */
const entriesOfLost = Effect.fnUntraced(function* ({ run, sums, updated, assumed }: OpenRow, pricing: Pricing) {
  if (run.kind === "session") return []
  const entry = entryOf(run, sums, { at: updated, assumed, turns: null, isFinal: false })
  return [yield* priced(entry, pricing, false)]
})

/** How many were found and closed. What the store cannot do now is done when it is opened again. */
export const closeLost = Effect.fnUntraced(
  function* (store: OpenStore, locks: NameLocks, pricing: Pricing) {
    if (!locks.areShared) return 0
    const open = Map.groupBy(yield* openOfHome(store), ({ run }) => run.runId)
    let closed = 0
    for (const [runId, rows] of open) {
      closed += yield* Effect.scoped(
        Effect.gen(function* () {
          if (!(yield* locks.take(runId))) return 0
          // A host that could not write has kept its own word of it.
          yield* postSpilled(store)
          for (const row of rows) {
            yield* post(store, { id: row.run.id, entries: yield* entriesOfLost(row, pricing) }, true)
          }
          return rows.length
        })
      )
    }
    return closed
  },
  Effect.catch((error) =>
    Effect.as(Effect.logWarning(`runs whose host has died wait for the store: ${error.message}`), 0)
  )
)
