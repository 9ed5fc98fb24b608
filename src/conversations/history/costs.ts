/** What sessions have cost, by the ledger of the store. */
import { Effect } from "effect"
import type { SessionInfo } from "../../contract/Sessions.ts"
import { countIn, textIn } from "../store/columns.ts"
import type { OpenStore } from "../store/OpenStore.ts"

const keyOf = (cli: string | undefined, sessionId: string | undefined) => JSON.stringify([cli, sessionId])

/** Those of which the ledger knows a cost have it. In one question. */
export const withCosts = Effect.fnUntraced(function* ({ sql, read }: OpenStore, sessions: ReadonlyArray<SessionInfo>) {
  if (sessions.length === 0) return sessions
  const ids = sessions.map(({ sessionId }) => sessionId)
  // A sum can have more digits than a number of JavaScript, and is read as text.
  const rows = yield* read(sql<object>`select cli, session_id, cast(sum(micros) as text) as micros,
      sum(case when micros is null then 1 else 0 end) as unknown
    from usage_entries where ${sql.in("session_id", ids)} group by cli, session_id`)
  const found = new Map(rows.map((row) => [keyOf(textIn(row, "cli"), textIn(row, "session_id")), row]))
  return sessions.map((session): SessionInfo => {
    const row = found.get(keyOf(session.cli, session.sessionId))
    const micros = row && countIn(row, "micros")
    if (row === undefined || micros === undefined) return session
    const isPartial = (countIn(row, "unknown") ?? 0) > 0
    return { ...session, costUsd: micros / 1e6, ...(isPartial ? { isCostPartial: true } : {}) }
  })
})
