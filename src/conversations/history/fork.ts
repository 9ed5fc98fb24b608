/**
 * Lets a conversation go on in a copy of a session. No CLI copies a session without a prompt in every way it is used, so
 * that this is a mark: the conversation's next turn makes the copy, and the conversation keeps it.
 */
import { Effect, Predicate, Result } from "effect"
import { InvalidParams, UnsupportedOption } from "../../contract/AgentError.ts"
import type { ForkOptions, SessionInfo, SessionRef } from "../../contract/Sessions.ts"
import { StoreError } from "../../contract/StoreError.ts"
import { conversationKey, keyText } from "../turns/conversationKey.ts"
import { asStoreError } from "./change.ts"
import type { HistoryContext } from "./context.ts"
import { findRow, findSessionInfo } from "./find.ts"

const keyFor = (options: unknown) =>
  Predicate.hasProperty(options, "conversation")
    ? conversationKey(options.conversation)
    : Result.fail(
        new InvalidParams({ option: "conversation", problem: "is missing: the one that goes on in the fork" })
      )

/** A CLI of the application's own is asked by the turn. */
const mayFork = ({ clis }: HistoryContext, cli: string) =>
  clis.find(({ id }) => id === cli)?.supports.has("forkSession") ?? true

export const forkSession = Effect.fnUntraced(function* (
  context: HistoryContext,
  ref: SessionRef,
  options: ForkOptions
): Effect.fn.Return<SessionInfo, StoreError> {
  const { store, holdConversation } = context
  const { sql, transact } = store
  const key = keyFor(options)
  if (Result.isFailure(key)) return yield* new StoreError({ reason: key.failure })
  const row = yield* findRow(context, ref)
  if (!mayFork(context, row.cli)) {
    return yield* new StoreError({ reason: new UnsupportedOption({ option: "forkSession", cli: row.cli }) })
  }
  const mark = { conversation: keyText(key.success), cli: row.cli, session_key: row.key, forks: 1 }
  const marked = transact(sql`insert into conversations ${sql.insert(mark)}
    on conflict (conversation, cli) do update set session_key = excluded.session_key, forks = 1`)
  yield* Effect.scoped(Effect.andThen(asStoreError(holdConversation(key.success)), marked))
  return yield* findSessionInfo(context, row.key)
})
