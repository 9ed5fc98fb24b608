/** Lists sessions, last used first: ours, page by page, mixed with those of the CLIs on request. */
import { Clock, Effect, Option, Predicate, Result, Schema, Stream } from "effect"
import { makeParser } from "../../contract/checkInput.ts"
import type { SessionFilter, SessionInfo } from "../../contract/Sessions.ts"
import { StoreError } from "../../contract/StoreError.ts"
import { untraced } from "../../contract/untraced.ts"
import { countIn, textIn } from "../store/columns.ts"
import type { OpenStore } from "../store/OpenStore.ts"
import { conversationKey, keyText } from "../turns/conversationKey.ts"
import { listOutside } from "../turns/outside.ts"
import { sessionOfRow } from "../turns/sessionRows.ts"
import { keyOf, withCosts } from "./find.ts"
import { type HistoryContext, infoOfRow, withHolder } from "./info.ts"

const pageLength = 100

const parse = makeParser(
  Schema.Struct({
    cli: Schema.optional(Schema.String),
    directory: Schema.optional(Schema.String),
    conversation: Schema.optional(Schema.Unknown),
    outside: Schema.optional(Schema.Boolean),
    all: Schema.optional(Schema.Boolean),
    limit: Schema.optional(Schema.Natural)
  }),
  "filter"
)

interface Query extends Omit<SessionFilter, "conversation"> {
  /** The text of its key. */
  readonly conversation: string | undefined
}

const checked = (filter: SessionFilter): Result.Result<Query, StoreError> =>
  Result.mapError(
    Result.gen(function* () {
      const { conversation, ...others } = yield* parse(filter)
      return {
        ...others,
        conversation: conversation === undefined ? undefined : keyText(yield* conversationKey(conversation))
      }
    }),
    (reason) => new StoreError({ reason })
  )

interface Cursor {
  readonly used: number
  readonly key: string
}

/** The page after a cursor, or the first. */
const pageOf = ({ sql, read }: OpenStore, query: Query, last: Cursor | undefined) => {
  const { cli, directory, conversation, all = false } = query
  const conditions = [
    cli === undefined ? undefined : sql`cli = ${cli}`,
    directory === undefined ? undefined : sql`directory = ${directory}`,
    conversation === undefined ? undefined : sql`conversation = ${conversation}`,
    all ? undefined : sql`state in ('live', 'quarantined')`,
    last === undefined ? undefined : sql`(used < ${last.used} or (used = ${last.used} and key > ${last.key}))`
  ].filter(Predicate.isNotUndefined)
  return read(
    sql<object>`select * from sessions where ${sql.and(conditions)} order by used desc, key limit ${pageLength}`
  )
}

const cursorOf = (rows: ReadonlyArray<object>): Option.Option<Cursor> => {
  const row = rows.length < pageLength ? undefined : rows.at(-1)
  const [used, key] = [row && countIn(row, "used"), row && textIn(row, "key")]
  return used === undefined || key === undefined ? Option.none() : Option.some({ used, key })
}

const ours = ({ store }: HistoryContext, query: Query): Stream.Stream<SessionInfo, StoreError> =>
  Stream.paginate<Cursor | undefined, SessionInfo, StoreError>(undefined, (last) =>
    Effect.gen(function* () {
      const rows = yield* pageOf(store, query, last)
      const now = yield* Clock.currentTimeMillis
      const known = rows.flatMap((row) => sessionOfRow(row) ?? [])
      const sessions = yield* withCosts(
        store,
        known.map((row) => infoOfRow(row, now))
      )
      return [sessions, cursorOf(rows)] as const
    })
  )

/** Sessions that are not in the store in any state: stored ones are ours. */
const notOurs = Effect.fn(...untraced("List.notOurs"))(function* (
  { sql, read, home }: OpenStore,
  sessions: ReadonlyArray<SessionInfo>
) {
  const ids = sessions.map(({ sessionId }) => sessionId)
  const rows = yield* read(
    sql<object>`select cli, session_id from sessions where home = ${home} and ${sql.in("session_id", ids)}`
  )
  const known = new Set(rows.map((row) => keyOf(textIn(row, "cli"), textIn(row, "session_id"))))
  return sessions.filter(({ cli, sessionId }) => !known.has(keyOf(cli, sessionId)))
})

const mostShown = 3

const shortened = (warnings: ReadonlyArray<string>): string => {
  const text = warnings.slice(0, mostShown).join("; ")
  return warnings.length > mostShown ? `${text}; and ${warnings.length - mostShown} more` : text
}

const outsideOf = Effect.fn(...untraced("List.outsideOf"))(function* ({ store, clis }: HistoryContext, query: Query) {
  const { cli, directory, conversation, outside = false, all = false } = query
  // Sessions of CLIs belong to no conversation.
  if (!outside || conversation !== undefined) return []
  const { sessions, warnings } = yield* listOutside(
    clis.filter(({ id }) => cli === undefined || id === cli).map((each) => ({ cli: each }))
  )
  if (warnings.length > 0) yield* Effect.logWarning(`sessions of CLIs were left out: ${shortened(warnings)}`)
  const fitting = sessions.filter(
    (session) => (directory === undefined || session.directory === directory) && (all || session.state !== "archived")
  )
  return fitting.length === 0 ? [] : yield* notOurs(store, fitting)
})

/** Merges two lists that have the last used first. */
const merged = (
  sessions: Stream.Stream<SessionInfo, StoreError>,
  others: ReadonlyArray<SessionInfo>
): Stream.Stream<SessionInfo, StoreError> =>
  Stream.suspend(() => {
    let left = others
    const before = (session: SessionInfo) => {
      const count = left.findIndex(({ usedAt }) => usedAt <= session.usedAt)
      const earlier = count === -1 ? left : left.slice(0, count)
      left = left.slice(earlier.length)
      return [...earlier, session]
    }
    const mixed = Stream.flatMap(sessions, (session) => Stream.fromIterable(before(session)))
    return Stream.concat(
      mixed,
      Stream.suspend(() => Stream.fromIterable(left))
    )
  })

export const listSessions = (
  context: HistoryContext,
  filter: SessionFilter = {}
): Stream.Stream<SessionInfo, StoreError> =>
  Stream.unwrap(
    Effect.gen(function* () {
      const query = yield* Effect.fromResult(checked(filter))
      const all = merged(ours(context, query), yield* outsideOf(context, query))
      const some = query.limit === undefined ? all : Stream.take(all, query.limit)
      return Stream.mapEffect(some, (session) => withHolder(context, session))
    })
  )
