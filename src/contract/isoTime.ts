/** Moments as text; pure. */

/** The most that a date can be, in ms from 1970. */
const furthestMs = 8.64e15

/** In UTC; undefined for what no date can be, which a stranger's number may be. */
export const isoTime = (at: number): string | undefined =>
  Math.abs(at) <= furthestMs ? new Date(at).toISOString() : undefined
