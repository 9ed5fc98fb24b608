/** Log lines about deliveries that were sent away: the first of a kind at once, then their number, at most each minute. */
import { Clock, Effect } from "effect"

const gapMs = 60_000

interface Note {
  at: number
  more: number
}

export const makeNotes = () => {
  const notes = new Map<string, Note>()
  /** `kind`: one of few for each webhook. */
  return (name: string, kind: string, line: string): Effect.Effect<void> =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => {
      const key = `${name} ${kind}`
      const note = notes.get(key)
      if (note !== undefined && Math.abs(now - note.at) < gapMs) {
        note.more += 1
        return Effect.void
      }
      const more = note === undefined || note.more === 0 ? "" : ` (and ${note.more} more since the last such line)`
      notes.set(key, { at: now, more: 0 })
      return Effect.logWarning(`webhook ${name}: ${line}${more}`)
    })
}
