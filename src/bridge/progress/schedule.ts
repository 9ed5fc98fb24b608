/** When a progress message may be written again: a pace by the kind of chat, slower after each refusal; pure. Times in ms. */

export interface EditPace {
  readonly everyMs: number
  /** How often it was slowed by half since the last quiet minute. */
  readonly slowed: number
  readonly lastAt: number | undefined
  /** Until then the channel takes nothing. */
  readonly heldUntil: number
}

/** Of groups, 19 a minute: the channel counts what else is sent. */
const everyMs = { direct: 2_000, group: 3_100 } as const

const quietMs = 60_000

/** 25 times slower. */
const mostSlowed = 8

export const paceOf = (chat: keyof typeof everyMs): EditPace => ({
  everyMs: everyMs[chat],
  slowed: 0,
  lastAt: undefined,
  heldUntil: Number.NEGATIVE_INFINITY
})

const slowedAt = ({ slowed, heldUntil }: EditPace, now: number) => (now >= heldUntil + quietMs ? 0 : slowed)

/** The earliest time for the next one; not before now. */
export const nextAt = (pace: EditPace, now: number): number => {
  const interval = pace.everyMs * 1.5 ** slowedAt(pace, now)
  return Math.max(now, pace.heldUntil, (pace.lastAt ?? Number.NEGATIVE_INFINITY) + interval)
}

/** It was written, or tried. */
export const written = (pace: EditPace, now: number): EditPace => ({
  ...pace,
  slowed: slowedAt(pace, now),
  lastAt: now
})

/** The channel says that it was too fast. */
export const refused = (pace: EditPace, now: number, retryAfterMs: number): EditPace => ({
  ...written(pace, now),
  slowed: Math.min(mostSlowed, slowedAt(pace, now) + 1),
  heldUntil: Math.max(pace.heldUntil, now + Math.max(0, retryAfterMs))
})

/** Channels refuse to edit what is older than an hour or two. */
const longestLifeMs = 55 * 60_000

/** A message that has to be replaced. */
export const isOld = (shownAt: number, now: number): boolean => now - shownAt > longestLifeMs
