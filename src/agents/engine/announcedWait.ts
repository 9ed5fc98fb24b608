/** How long the agent announces to wait, by a notice; pure. */
import { Predicate } from "effect"
import type { NoticeEvent } from "../../contract/AgentEvent.ts"

/** Upper estimate where the CLI reports no time for a retry; the longest of any CLI that was seen is 39 s. */
const estimateMs = 60_000

const positive = (value: unknown) => (Predicate.isNumber(value) && value > 0 ? value : undefined)

/**
 * In ms; undefined if the notice announces no wait. From the CLI's delay, else from the time at which it continues (ms since
 * 1970, like `nowMs`), else an estimate.
 */
export const announcedWaitMs = ({ kind, data }: NoticeEvent, nowMs: number): number | undefined => {
  if (kind !== "retry" && kind !== "rate_limit") return undefined
  const untilMs = positive(data?.["waitUntilMs"])
  const waitMs = positive(data?.["delayMs"]) ?? (untilMs === undefined ? undefined : Math.max(0, untilMs - nowMs))
  return waitMs ?? (kind === "retry" ? estimateMs : undefined)
}
