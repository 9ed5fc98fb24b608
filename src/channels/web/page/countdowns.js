/** How long each open request waits, by the server's clock. */
import { countdown } from "./format.js"
import { now } from "./serverClock.js"
import { words } from "./words.js"

const soonMs = 60_000

/** @param {Iterable<import("./turn.js").Card>} cards */
export const drawCountdowns = (cards) => {
  for (const { deadlineMs, left, isQuestion } of cards) {
    if (deadlineMs === undefined) continue
    const ms = Math.max(0, deadlineMs - now())
    left.textContent =
      ms === 0 ? words.timeOver : isQuestion ? words.leftIn(countdown(ms)) : words.deniedIn(countdown(ms))
    left.dataset["soon"] = String(ms < soonMs)
  }
}
