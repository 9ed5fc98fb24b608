/** Which pieces have become too old to be sent unasked; pure, but for what was released. */
import type { OutboxRow } from "../journal/outbox.ts"

const tooOldMs = 6 * 3_600_000
const mostLanes = 1_000

/** Questions, and what was asked for, are sent at any age. */
export const isTooOld = ({ at, kind, key }: OutboxRow, wallNow: number): boolean =>
  wallNow - at > tooOldMs && kind !== "ask" && !key.includes("/shown/")

/** A piece that was held, and that the person has released by writing. */
const isReleased = ({ tries, notBefore }: OutboxRow) => tries > 0 && notBefore === 0

/** What was held is sent at any age, and what had come behind it, too. */
export const makePatience = () => {
  const releasedAt = new Map<string, number>()
  return {
    has: (lane: string, row: OutboxRow, wallNow: number): boolean => {
      if (isReleased(row)) {
        releasedAt.delete(lane)
        releasedAt.set(lane, wallNow)
        const [oldest] = releasedAt.keys()
        if (releasedAt.size > mostLanes && oldest !== undefined) releasedAt.delete(oldest)
      }
      return row.at <= (releasedAt.get(lane) ?? Number.NEGATIVE_INFINITY)
    }
  }
}
