/** A time in the past, for people; pure. */
import { isoTime } from "../../contract/text/amounts.ts"

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

/** Whether a date can be made of it. */
export const isTime = (at: number): boolean => isoTime(at) !== undefined

/** A date says more than many days. A time that is not over yet, by a clock that was set back, is now. */
export const ago = (at: number, now: number): string => {
  const ms = now - at
  if (!isTime(at)) return "at an unknown time"
  if (ms < minute) return "just now"
  if (ms < hour) return `${Math.floor(ms / minute)} min ago`
  if (ms < day) return `${Math.floor(ms / hour)} h ago`
  return ms < 14 * day ? `${Math.floor(ms / day)} d ago` : new Date(at).toISOString().slice(0, 10)
}
