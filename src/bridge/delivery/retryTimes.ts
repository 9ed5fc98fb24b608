/** When pieces are looked at again, by a clock that never goes back: setting the date neither hurries nor delays them. */
import type { OutboxRow } from "../journal/outbox.ts"

/** An attempt can still arrive for so long: nothing is looked for before. */
export const lookAfterMs = 30_000
const day = 24 * 3_600_000

interface Put {
  readonly at: number
  /** Attempts in a row that did not get there. */
  readonly failures: number
  readonly isUnreachable: boolean
}

const within = (ms: number, most: number) => Math.min(Math.max(ms, 0), most)

/** The wait that follows from the row alone: after a restart. */
const waitOf = ({ state, attempted = 0, notBefore }: OutboxRow, wallNow: number, canFind: boolean) => {
  if (state === "ready") return within(notBefore - wallNow, day)
  return canFind ? within(attempted + lookAfterMs - wallNow, lookAfterMs) : 0
}

export const makeRetryTimes = (canFind: boolean) => {
  const known = new Map<string, Put>()
  return {
    /** `now` and the result: by the clock that never goes back. */
    dueAt: (row: OutboxRow, now: number, wallNow: number): number => {
      const put = known.get(row.key)
      if (put !== undefined) return put.at
      const wait = waitOf(row, wallNow, canFind)
      if (wait > 0) known.set(row.key, { at: now + wait, failures: 0, isUnreachable: false })
      return now + wait
    },
    failures: (key: string) => known.get(key)?.failures ?? 0,
    /** One attempt more that did not get there. */
    put: (key: string, at: number, isUnreachable = false) => {
      known.set(key, { at, failures: (known.get(key)?.failures ?? 0) + 1, isUnreachable })
    },
    forget: (key: string) => {
      known.delete(key)
    },
    /** The channel answers: what it could not be reached for is due. */
    reached: (now: number) => {
      for (const [key, put] of known) if (put.isUnreachable) known.set(key, { ...put, at: Math.min(put.at, now) })
    },
    /** Forgets what is due and at no head any more. */
    keep: (keys: ReadonlySet<string>, now: number) => {
      for (const [key, { at }] of known) if (at < now && !keys.has(key)) known.delete(key)
    },
    size: () => known.size
  }
}
export type RetryTimes = ReturnType<typeof makeRetryTimes>
