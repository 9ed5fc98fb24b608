/** Finds a session by its id in the store, the CLI's own id, its conversation, or the beginning of an id. */
import { Clock, Effect, Predicate, Result } from "effect"
import { InvalidParams } from "../../contract/AgentError.ts"
import type { ConversationKey, SessionInfo, SessionRef } from "../../contract/Sessions.ts"
import { AmbiguousSession, StoreError, UnknownSession } from "../../contract/StoreError.ts"
import { suggestionFor } from "../../contract/suggestions.ts"
import { untraced } from "../../contract/untraced.ts"
import { countIn, textIn } from "../store/columns.ts"
import type { OpenStore } from "../store/OpenStore.ts"
import { conversationKey, keyOfText, keyText } from "../turns/conversationKey.ts"
import { findOutside, listOutside } from "../turns/outside.ts"
import { makeResumeLineFinder } from "../turns/resumeLine.ts"
import { type SessionRow, sessionOfRow } from "../turns/sessionRows.ts"
import { type HistoryContext, infoOfRow, withHolder } from "./info.ts"

/** Key of a session in the ledger's costs. */
export const keyOf = (cli: string | undefined, sessionId: string | undefined) => JSON.stringify([cli, sessionId])

/** Adds the cost to sessions that the ledger knows, by one query. */
export const withCosts = Effect.fn(...untraced("Find.withCosts"))(function* (
  { sql, read }: OpenStore,
  sessions: ReadonlyArray<SessionInfo>
) {
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

/** Longer texts cannot name a session. */
const longestName = 512
const mostCandidates = 10
/** Shorter beginnings of a CLI's own ids are not searched. */
const shortestBeginning = 4

/** Checks the key of a conversation. */
export const checkedKey = (conversation: unknown) =>
  Effect.mapError(Effect.fromResult(conversationKey(conversation)), (reason) => new StoreError({ reason }))

export const invalid = (option: string, problem: string) =>
  new StoreError({ reason: new InvalidParams({ option, problem }) })

const nameOf = (text: string) => (text.length > 200 ? `${text.slice(0, 200)}…` : text)

const unknown = (session: string, nearest?: string) =>
  new StoreError({
    reason: new UnknownSession({ session: nameOf(session), ...(nearest === undefined ? {} : { nearest }) })
  })

const rowsOf = (rows: ReadonlyArray<object>) => rows.flatMap((row) => sessionOfRow(row) ?? [])

/** Suggestions for a mistyped name. */
const nearestTo = ({ sql, read }: OpenStore, name: string) =>
  Effect.map(
    read(sql<object>`select key, session_id, conversation from sessions order by used desc limit 500`),
    (rows) => {
      const words = rows.flatMap((row) => {
        const key = textIn(row, "conversation")
        const parts = key === undefined ? undefined : keyOfText(key)
        return [textIn(row, "session_id"), textIn(row, "key"), parts?.length === 1 ? parts[0] : undefined]
      })
      const others = words.filter((word) => word !== undefined && word !== name)
      return suggestionFor(name, [...new Set(others.filter(Predicate.isNotUndefined))])
    }
  )

const only = (name: string, rows: ReadonlyArray<SessionRow>) =>
  rows.length < 2
    ? Effect.succeed(rows[0])
    : Effect.fail(
        new StoreError({
          reason: new AmbiguousSession({
            session: nameOf(name),
            candidates: rows.slice(0, mostCandidates).map(({ key }) => key)
          })
        })
      )

const byConversation = Effect.fn(...untraced("Find.byConversation"))(function* (
  { sql, read }: OpenStore,
  conversation: ConversationKey,
  cli: string | undefined
) {
  const key = yield* checkedKey(conversation)
  const rows = rowsOf(
    yield* read(sql<object>`select s.* from conversations c join sessions s on s.key = c.session_key
      where c.conversation = ${keyText(key)} and c.forks = 0 and ${cli === undefined ? sql`1 = 1` : sql`c.cli = ${cli}`}
      order by s.used desc`)
  )
  return yield* only(key.join(" / "), rows)
})

const byIds = ({ sql, read }: OpenStore, name: string) =>
  Effect.map(read(sql<object>`select * from sessions where key = ${name} or session_id = ${name}`), rowsOf)

const byBeginning = ({ sql, read }: OpenStore, name: string) =>
  Effect.map(
    read(sql<object>`select * from sessions where substr(key, 1, ${name.length}) = ${name}
      or substr(session_id, 1, ${name.length}) = ${name} limit ${mostCandidates + 1}`),
    rowsOf
  )

const byName = Effect.fn(...untraced("Find.byName"))(function* (context: HistoryContext, name: string) {
  const { store, clis } = context
  if (name === "" || name.length > longestName) return undefined
  const target = makeResumeLineFinder(clis.map((cli) => [cli.id, cli] as const))(name, { quotes: false })
  const exact = yield* byIds(store, target?.sessionId ?? name)
  const named = exact.length > 0 ? exact : yield* Effect.map(ofConversation(store, name), (row) => (row ? [row] : []))
  const found = yield* only(name, named.length > 0 ? named : yield* byBeginning(store, name))
  return found ?? (yield* lastOfConversation(store, name))
})

/** The last session of a conversation whose first turn is running, or which was archived. */
const lastOfConversation = ({ sql, read }: OpenStore, name: string) => {
  const key = conversationKey(name)
  if (Result.isFailure(key)) return Effect.succeed(undefined)
  const rows = sql<object>`select * from sessions where conversation = ${keyText(key.success)} order by used desc limit 1`
  return Effect.map(read(rows), (found) => rowsOf(found)[0])
}

/** A name with characters that no key has matches nothing. */
const ofConversation = (store: OpenStore, name: string) =>
  Result.isFailure(conversationKey(name)) ? Effect.succeed(undefined) : byConversation(store, name, undefined)

interface Named {
  readonly name: string
  readonly row: SessionRow | undefined
  /** Where it may be in the CLIs themselves. */
  readonly cli: string | undefined
  readonly sessionId: string | undefined
}

const named = Effect.fn(...untraced("Find.named"))(function* (context: HistoryContext, ref: SessionRef) {
  const { sql, read, home } = context.store
  if (Predicate.isString(ref)) {
    const row = yield* byName(context, ref)
    return { name: ref, row, cli: undefined, sessionId: ref } satisfies Named
  }
  if (Predicate.hasProperty(ref, "conversation")) {
    const { conversation, cli } = ref
    const row = yield* byConversation(context.store, conversation, cli)
    const name = Array.isArray(conversation) ? conversation.join(" / ") : String(conversation)
    return { name, row, cli, sessionId: undefined } satisfies Named
  }
  if (!Predicate.isObject(ref) || typeof ref.cli !== "string" || typeof ref.sessionId !== "string") {
    return yield* invalid("session", "is neither a text, nor { cli, sessionId }, nor { conversation }")
  }
  const { cli, sessionId } = ref
  const rows = yield* read(sql<object>`select * from sessions
    where cli = ${cli} and session_id = ${sessionId} order by case when home = ${home} then 0 else 1 end, used desc`)
  return { name: sessionId, row: rowsOf(rows)[0], cli, sessionId } satisfies Named
})

export const findRow = Effect.fn(...untraced("Find.findRow"))(function* (context: HistoryContext, ref: SessionRef) {
  const { name, row } = yield* named(context, ref)
  return row ?? (yield* unknown(name, yield* nearestTo(context.store, name)))
})

/** Finds it in the CLIs themselves, by its whole id. */
const findInClis = Effect.fn(...untraced("Find.findInClis"))(function* (
  { clis }: HistoryContext,
  cli: string | undefined,
  sessionId: string | undefined
) {
  if (sessionId === undefined || sessionId === "" || sessionId.length > longestName) return undefined
  for (const each of clis.filter(({ id }) => cli === undefined || id === cli)) {
    const found = yield* findOutside({ cli: each }, sessionId)
    if (found !== undefined) return found
  }
  return undefined
})

/** Lists show the beginning of an id: finds it if it fits only one of the newest. */
const findBeginning = Effect.fn(...untraced("Find.findBeginning"))(function* (
  { clis }: HistoryContext,
  beginning: string
) {
  if (beginning.length < shortestBeginning || beginning.length > longestName) return undefined
  const { sessions } = yield* listOutside(clis.map((cli) => ({ cli })))
  const [first, ...others] = sessions.filter(({ sessionId }) => sessionId.startsWith(beginning))
  if (first === undefined || others.length === 0) return first
  const candidates = [first, ...others].slice(0, mostCandidates).map((one) => `${one.cli} ${one.sessionId}`)
  return yield* new StoreError({ reason: new AmbiguousSession({ session: nameOf(beginning), candidates }) })
})

/** A beginning of the CLI's own id may also be that of a session that only its CLI knows. */
const isBeginning = (ref: SessionRef, { key, sessionId }: SessionRow): ref is string =>
  Predicate.isString(ref) && sessionId !== ref && sessionId.startsWith(ref) && !key.startsWith(ref)

const onlyHere = Effect.fn(...untraced("Find.onlyHere"))(function* (
  context: HistoryContext,
  beginning: string,
  { key, cli, sessionId }: SessionRow
) {
  const other = yield* findBeginning(context, beginning)
  if (other === undefined || (other.cli === cli && other.sessionId === sessionId)) return
  const candidates = [key, `${other.cli} ${other.sessionId}`]
  return yield* new StoreError({ reason: new AmbiguousSession({ session: nameOf(beginning), candidates }) })
})

/** A session, also one that only its CLI knows. */
export const findSessionInfo = Effect.fn(...untraced("Find.findSessionInfo"))(function* (
  context: HistoryContext,
  ref: SessionRef
): Effect.fn.Return<SessionInfo, StoreError> {
  const { name, row, cli, sessionId } = yield* named(context, ref)
  if (row !== undefined) {
    if (isBeginning(ref, row)) yield* onlyHere(context, ref, row)
    const info = infoOfRow(row, yield* Clock.currentTimeMillis)
    const [known = info] = yield* withCosts(context.store, [info])
    return yield* withHolder(context, known)
  }
  const outside =
    (yield* findInClis(context, cli, sessionId)) ??
    (Predicate.isString(ref) ? yield* findBeginning(context, ref) : undefined)
  if (outside !== undefined) return yield* withHolder(context, outside)
  return yield* unknown(name, yield* nearestTo(context.store, name))
})
