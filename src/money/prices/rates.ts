/** Rates and token counts → an amount. A rate of dollars per million tokens is one of micro-dollars per token. Pure. */

import type { AgentUsage } from "../../contract/AgentRunResult.ts"
import type { PriceRates } from "../../contract/Usage.ts"

/** Undefined where the input or the output was not reported: a part of the price is no price. */
export const microsOf = (usage: AgentUsage, rates: PriceRates): number | undefined => {
  const { inputTokens, outputTokens, cacheReadTokens = 0, cacheWriteTokens = 0 } = usage
  if (inputTokens === undefined || outputTokens === undefined) return undefined
  const micros =
    inputTokens * rates.input +
    outputTokens * rates.output +
    cacheReadTokens * (rates.cacheRead ?? rates.input) +
    cacheWriteTokens * (rates.cacheWrite ?? rates.input)
  // Floating point leaves 0.9999… of a micro-dollar where there should be a whole one.
  const whole = Math.round(micros)
  return Number.isSafeInteger(whole) && whole >= 0 ? whole : undefined
}

/** All input of a request counts for its length, cached or not. */
export const inputOf = ({ inputTokens = 0, cacheReadTokens = 0, cacheWriteTokens = 0 }: AgentUsage): number =>
  inputTokens + cacheReadTokens + cacheWriteTokens
