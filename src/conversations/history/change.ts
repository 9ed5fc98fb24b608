/** Changes a stored session, never the CLI's own files: its title, its state, its conversation. */
import { Effect, Predicate } from "effect"
import type { ConversationKey, SessionInfo, SessionRef } from "../../contract/Sessions.ts"
import { StoreError } from "../../contract/StoreError.ts"
import { untraced } from "../../contract/untraced.ts"
import { keyOfText, keyText } from "../turns/conversationKey.ts"
import { type SessionRow, titleOf } from "../turns/sessionRows.ts"
import { writeSpilled } from "../turns/settlement.ts"
import { checkedKey, findRow, findSessionInfo, invalid } from "./find.ts"
import type { HistoryContext } from "./info.ts"

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

export const renameSession = Effect.fn(...untraced("Change.renameSession"))(function* (
  context: HistoryContext,
  ref: SessionRef,
  title: string
): Effect.fn.Return<SessionInfo, StoreError> {
  const { sql, transact } = context.store
  const line = Predicate.isString(title) ? titleOf(title) : null
  if (line === null) return yield* invalid("title", "is not a text with a character to show")
  const row = yield* findRow(context, ref)
  yield* transact(sql`update sessions set title = ${line} where key = ${row.key}`)
  return yield* findSessionInfo(context, row.key)
})

/** The worktree of a conversation without a session: its files leave the disk, and its changes stay in git. */
export const removeUnusedWorktree = Effect.fn(...untraced("Change.removeUnusedWorktree"))(function* (
  { store: { sql, read }, worktrees }: HistoryContext,
  { conversation }: SessionRow
) {
  const key = conversation === undefined ? undefined : keyOfText(conversation)
  if (worktrees === undefined || key === undefined) return
  const others = yield* read(sql`select 1 from conversations where conversation = ${conversation} limit 1`)
  if (others.length > 0) return
  yield* Effect.catch(worktrees.remove({ conversation: key }), ({ reason, message }) =>
    reason._tag === "UnknownWorktree" ? Effect.void : Effect.logWarning("a worktree could not be removed", message)
  )
})

/** Its conversation begins anew with its next turn. */
export const archiveSession = Effect.fn(...untraced("Change.archiveSession"))(function* (
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
  yield* removeUnusedWorktree(context, row)
  return yield* findSessionInfo(context, row.key)
})

/** For one CLI, or for all. Earlier turns stay in their sessions. */
export const clearConversation = Effect.fn(...untraced("Change.clearConversation"))(function* (
  { store, holdConversation }: HistoryContext,
  conversation: ConversationKey,
  cli?: string
): Effect.fn.Return<void, StoreError> {
  const { sql, transact } = store
  const key = yield* checkedKey(conversation)
  const ofCli = cli === undefined ? sql`1 = 1` : sql`cli = ${cli}`
  // A spilled end would name its session afterwards.
  yield* writeSpilled(store)
  const cleared = transact(sql`delete from conversations where conversation = ${keyText(key)} and ${ofCli}`)
  yield* Effect.scoped(Effect.andThen(asStoreError(holdConversation(key)), cleared))
})

/** Makes a session the one that the conversation continues. */
export const joinConversation = Effect.fn(...untraced("Change.joinConversation"))(function* (
  { store, holdConversation }: HistoryContext,
  conversation: ConversationKey,
  { key: session_key, cli }: Pick<SessionRow, "key" | "cli">
): Effect.fn.Return<void, StoreError> {
  const { sql, transact } = store
  const key = yield* checkedKey(conversation)
  const text = keyText(key)
  const joined = Effect.gen(function* () {
    yield* sql`insert into conversations ${sql.insert({ conversation: text, cli, session_key })}
      on conflict (conversation, cli) do update set session_key = excluded.session_key, forks = 0`
    yield* sql`update sessions set conversation = ${text} where key = ${session_key}`
  })
  yield* Effect.scoped(Effect.andThen(asStoreError(holdConversation(key)), transact(joined)))
})
