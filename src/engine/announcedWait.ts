/** A notice → how long the agent says that it waits before it goes on; pure. */
import { Predicate } from "effect"
import type { NoticeEvent } from "../contract/AgentEvent.ts"

/** What a retry waits at most, as far as seen, where the CLI does not tell (Claude Code 36 s, OpenCode 39 s). */
const estimateMs = 60_000

const positive = (value: unknown) => (Predicate.isNumber(value) && value > 0 ? value : undefined)

/**
 * In ms; undefined where nothing is waited for. The CLI's own milliseconds come first, then the time at which it goes on
 * (ms of the epoch, as `nowMs` is), else an estimate.
 */
export const announcedWaitMs = ({ kind, data }: NoticeEvent, nowMs: number): number | undefined => {
  if (kind !== "retry" && kind !== "rate_limit") return undefined
  const untilMs = positive(data?.["waitUntilMs"])
  const waitMs = positive(data?.["delayMs"]) ?? (untilMs === undefined ? undefined : Math.max(0, untilMs - nowMs))
  return waitMs ?? (kind === "retry" ? estimateMs : undefined)
}
