/**
 * Changes a stored session, but not the CLI's own files: its name, whether it is archived, which session its
 * conversation continues.
 */
import { Clock, Effect, Predicate, Result } from "effect"
import type { ConversationKey, SessionInfo, SessionRef } from "../../contract/Sessions.ts"
import { StoreError } from "../../contract/StoreError.ts"
import { conversationKey, keyText } from "../turns/conversationKey.ts"
import { type SessionRow, titleOf } from "../turns/sessionRows.ts"
import { writeSpilled } from "../turns/spill.ts"
import { findRow, findSessionInfo, invalid } from "./find.ts"
import type { HistoryContext } from "./info.ts"

/** A reason that a session is busy, as an error of the store. */
export const asStoreError = <A, R>(work: Effect.Effect<A, StoreError["reason"], R>): Effect.Effect<A, StoreError, R> =>
  Effect.mapError(work, (reason) => new StoreError({ reason }))

/** Runs while holding the session's lock. */
export const whileFree = <A>(
  { store, holdSession }: HistoryContext,
  { cli, sessionId, home }: SessionRow,
  work: Effect.Effect<A, StoreError>
): Effect.Effect<A, StoreError> =>
  home === store.home
    ? Effect.scoped(Effect.andThen(asStoreError(holdSession(cli, sessionId)), work))
    : // Its lock is on another machine; it cannot be used here.
      work

const again = (context: HistoryContext, { key }: SessionRow) => findSessionInfo(context, key)

export const renameSession = Effect.fnUntraced(function* (
  context: HistoryContext,
  ref: SessionRef,
  title: string
): Effect.fn.Return<SessionInfo, StoreError> {
  const { sql, transact } = context.store
  const line = Predicate.isString(title) ? titleOf(title) : null
  if (line === null) return yield* invalid("title", "is not a text with a character to show")
  const row = yield* findRow(context, ref)
  yield* transact(sql`update sessions set title = ${line} where key = ${row.key}`)
  return yield* again(context, row)
})

/** Its conversation begins anew with its next turn. */
export const archiveSession = Effect.fnUntraced(function* (
  context: HistoryContext,
  ref: SessionRef
): Effect.fn.Return<SessionInfo, StoreError> {
  const { sql, transact } = context.store
  const row = yield* findRow(context, ref)
  const archived = Effect.gen(function* () {
    yield* sql`update sessions set state = 'archived' where key = ${row.key}`
    yield* sql`delete from conversations where session_key = ${row.key}`
  })
  yield* whileFree(context, row, transact(archived))
  return yield* again(context, row)
})

/** For one CLI, or for all. Earlier turns stay in their sessions. */
export const clearConversation = Effect.fnUntraced(function* (
  { store, holdConversation }: HistoryContext,
  conversation: ConversationKey,
  cli?: string
): Effect.fn.Return<void, StoreError> {
  const { sql, transact } = store
  const key = conversationKey(conversation)
  if (Result.isFailure(key)) return yield* new StoreError({ reason: key.failure })
  const ofCli = cli === undefined ? sql`1 = 1` : sql`cli = ${cli}`
  // An end that was kept would name its session afterwards.
  yield* writeSpilled(store)
  const cleared = transact(sql`delete from conversations where conversation = ${keyText(key.success)} and ${ofCli}`)
  yield* Effect.scoped(Effect.andThen(asStoreError(holdConversation(key.success)), cleared))
})

/** The conversation goes on with a session from now on. */
export const joinConversation = Effect.fnUntraced(function* (
  { store, holdConversation }: HistoryContext,
  conversation: ConversationKey,
  { key: session_key, cli }: Pick<SessionRow, "key" | "cli">
): Effect.fn.Return<void, StoreError> {
  const { sql, transact } = store
  const key = conversationKey(conversation)
  if (Result.isFailure(key)) return yield* new StoreError({ reason: key.failure })
  const text = keyText(key.success)
  const joined = Effect.gen(function* () {
    yield* sql`insert into conversations ${sql.insert({ conversation: text, cli, session_key })}
      on conflict (conversation, cli) do update set session_key = excluded.session_key, forks = 0`
    yield* sql`update sessions set conversation = ${text} where key = ${session_key}`
  })
  yield* Effect.scoped(Effect.andThen(asStoreError(holdConversation(key.success)), transact(joined)))
})

export const now = Clock.currentTimeMillis
