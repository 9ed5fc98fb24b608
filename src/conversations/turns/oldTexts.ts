/** Removes prompts and answers of turns that ended long ago; their rows stay, so that no such turn runs again. */
import { Clock, Effect, Schedule } from "effect"
import { textIn } from "../store/columns.ts"
import type { OpenStore } from "../store/OpenStore.ts"
import { endOfText, endText } from "./storedEnd.ts"

/** Turns of one transaction. */
const atOnce = 200

const blanked = (text: string | undefined): string | null => {
  const end = text === undefined ? undefined : endOfText(text)
  if (end === undefined) return null
  const { structuredOutput: _, permissionDenials: __, stderrTail: ___, ...result } = end.result
  return endText({ ...end, result: { ...result, text: "" } }) ?? null
}

const blankSome = ({ sql, transact }: OpenStore, before: number) =>
  transact(
    Effect.gen(function* () {
      const rows = yield* sql<object>`select turn_id, result from turns
        where prompt is not null and coalesce(ended, created) < ${before} limit ${atOnce}`
      for (const row of rows) {
        const turnId = textIn(row, "turn_id") ?? ""
        yield* sql`update turns set prompt = null, params = null, result = ${blanked(textIn(row, "result"))}
          where turn_id = ${turnId}`
      }
      return rows.length
    })
  )

/** Rows that say how runs ended, which are useless without the texts of their turns. */
const runsMs = 90 * 24 * 60 * 60_000

/** Turns that ended before `keep.turns`, and turns that began before it and never ended because their host died. */
export const blankOldTexts = (store: OpenStore): Effect.Effect<void> =>
  Effect.gen(function* () {
    const before = (yield* Clock.currentTimeMillis) - store.keep.turnsMs
    if (!Number.isFinite(before)) return
    while ((yield* blankSome(store, Math.floor(before))) === atOnce) yield* Effect.yieldNow
    yield* store.transact(store.sql`delete from runs where ended < ${Math.floor(before - runsMs)}`)
  }).pipe(Effect.catch((error) => Effect.logWarning(`old texts of turns are still in the store: ${error.message}`)))

/** The same each day, for a host that runs for longer. */
export const keepTextsYoung = (store: OpenStore): Effect.Effect<void> =>
  Effect.asVoid(Effect.repeat(blankOldTexts(store), Schedule.spaced("1 day")))
