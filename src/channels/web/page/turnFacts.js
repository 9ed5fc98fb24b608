/** The last line of a turn: how it ended, how long it took, what it cost. */
import { duration, money, thousands } from "./format.js"
import { words } from "./words.js"

/** What was over at once took no time worth a word. */
const shortestMs = 500

/** @param {import("./types.js").Result} result @param {number} steps @returns {string[]} */
export const turnFacts = ({ outcome, durationMs, totalCostUsd, usage }, steps) => {
  const tokens = (usage?.inputTokens ?? 0) + (usage?.outputTokens ?? 0)
  return [
    words.outcomes[outcome ?? ""] ?? "",
    durationMs === undefined || durationMs < shortestMs ? "" : duration(durationMs),
    steps > 0 ? words.steps(steps) : "",
    totalCostUsd === undefined ? "" : money(totalCostUsd),
    tokens > 0 ? words.tokens(thousands(tokens)) : ""
  ].filter((each) => each !== "")
}
