/** Makes a session that was begun in its CLI one of ours: from then on a conversation can go on with it. */
import { Effect, Predicate } from "effect"
import type { AdoptOptions, SessionInfo, SessionRef } from "../../contract/Sessions.ts"
import type { StoreError } from "../../contract/StoreError.ts"
import { expiryAfter } from "../turns/sessionRows.ts"
import { titleOf } from "../turns/title.ts"
import { joinConversation, now } from "./change.ts"
import type { HistoryContext } from "./context.ts"
import { findSessionInfo } from "./find.ts"

/** One that is ours already can be used again: archived, or taken for dead. */
export const adoptSession = Effect.fnUntraced(function* (
  context: HistoryContext,
  ref: SessionRef,
  { conversation }: AdoptOptions = {}
): Effect.fn.Return<SessionInfo, StoreError> {
  const { sql, transact, home, keep } = context.store
  const found = yield* findSessionInfo(context, ref)
  const at = yield* now
  const expires = expiryAfter(at, keep.sessionsMs)
  const key = found.id ?? crypto.randomUUID()
  if (found.id !== undefined) {
    yield* transact(
      sql`update sessions set state = 'live', failures = 0, used = ${at}, expires = ${expires} where key = ${key}`
    )
  } else {
    const row = {
      key,
      home,
      cli: found.cli,
      session_id: found.sessionId,
      directory: found.directory ?? null,
      model: found.model ?? null,
      title: titleOf(found.title ?? ""),
      origin: "adopted",
      state: "live",
      created: found.createdAt ?? found.usedAt,
      used: at,
      expires,
      turns: found.turns ?? 0
    }
    yield* transact(
      sql`insert into sessions ${sql.insert(row)} on conflict (home, cli, session_id) do update set state = 'live'`
    )
  }
  const target = { cli: found.cli, sessionId: found.sessionId }
  const adopted = yield* findSessionInfo(context, target)
  if (conversation === undefined || !Predicate.isNotUndefined(adopted.id)) return adopted
  yield* joinConversation(context, conversation, { key: adopted.id, cli: adopted.cli })
  return yield* findSessionInfo(context, target)
})
