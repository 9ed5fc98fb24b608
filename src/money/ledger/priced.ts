/** Entries whose cost no CLI has reported get that of the price table. What has no price stays unknown. */
import { Effect } from "effect"
import type { Pricing } from "../prices/pricing.ts"
import type { Entry } from "./rows.ts"

const usageOf = ({ input, output, cacheRead, cacheWrite }: Entry) => ({
  ...(input === null ? {} : { inputTokens: input }),
  ...(output === null ? {} : { outputTokens: output }),
  ...(cacheRead === null ? {} : { cacheReadTokens: cacheRead }),
  ...(cacheWrite === null ? {} : { cacheWriteTokens: cacheWrite })
})

/** `isFinal`: the counts are all that was used. */
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
