/** Prompts and answers of turns that ended long ago are removed; the rows stay, so that no such turn is run again. */
import { Clock, Effect } from "effect"
import { textIn } from "../store/columns.ts"
import type { OpenStore } from "../store/OpenStore.ts"
import { endOfText, endText } from "./storedEnd.ts"

/** In a transaction. */
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

/** Of turns that ended before `keep.turns`, and of those that began before it and never ended, since their host died. */
export const blankOldTexts = (store: OpenStore): Effect.Effect<void> =>
  Effect.gen(function* () {
    const before = (yield* Clock.currentTimeMillis) - store.keep.turnsMs
    if (!Number.isFinite(before)) return
    while ((yield* blankSome(store, Math.floor(before))) === atOnce) yield* Effect.yieldNow
  }).pipe(Effect.catch((error) => Effect.logWarning(`old texts of turns are still in the store: ${error.message}`)))
