/**
 * Closes runs whose host has died: their lock is free, and their row is still there. Their last known usage becomes an
 * estimate, and their reservation is freed. Each home closes its own, since it alone sees its locks; never by time.
 */
import { Effect } from "effect"
import { untraced } from "../../contract/untraced.ts"
import type { NameLocks } from "../../conversations/store/nameLocks.ts"
import type { OpenStore } from "../../conversations/store/OpenStore.ts"
import type { Pricing } from "../prices/makePricing.ts"
import { entryOf } from "./entries.ts"
import { post, postSpilled } from "./post.ts"
import { type Entry, type OpenRow, openOfHome } from "./rows.ts"

const usageOf = ({ input, output, cacheRead, cacheWrite }: Entry) => ({
  ...(input === null ? {} : { inputTokens: input }),
  ...(output === null ? {} : { outputTokens: output }),
  ...(cacheRead === null ? {} : { cacheReadTokens: cacheRead }),
  ...(cacheWrite === null ? {} : { cacheWriteTokens: cacheWrite })
})

/** With the cost of the price table if no CLI has reported one. `isFinal`: the counts are all that was used. */
export const priced = (entry: Entry, pricing: Pricing, isFinal: boolean): Effect.Effect<Entry> => {
  const { model, cli, at, turns } = entry
  const usage = usageOf(entry)
  if (entry.micros !== null || model === null || Object.keys(usage).length === 0) return Effect.succeed(entry)
  return Effect.map(pricing.priceOf({ cli, model, usage, requests: turns ?? undefined, at }), (price): Entry => {
    if (price === undefined) return entry
    const source = price.isEstimate || !isFinal ? "estimate" : price.source
    return { ...entry, micros: price.micros, assumed: null, source, priceVersion: price.version }
  })
}

/** A live session has no usage beside that of its turns, as far as is known. */
const entriesOfLost = Effect.fn(...untraced("Lost.entriesOfLost"))(function* (
  { run, sums, updated, assumed }: OpenRow,
  pricing: Pricing
) {
  if (run.kind === "session") return []
  const entry = entryOf(run, sums, { at: updated, assumed, turns: null, isFinal: false })
  return [yield* priced(entry, pricing, false)]
})

/** How many were found and closed. What the store cannot do now is done when it is opened again. */
export const closeLost = Effect.fn(...untraced("Lost.closeLost"))(
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
