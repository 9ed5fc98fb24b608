/** The operations on the sessions of a store, with the guard: what is used is known, and is not changed. */
import { Clock, Effect, Predicate, Stream } from "effect"
import { holdSubject } from "../../agents/guard/hold.ts"
import { whoHolds } from "../../agents/guard/holderFile.ts"
import type { Subject } from "../../agents/guard/place.ts"
import { StoreUnavailable, UnsupportedOption } from "../../contract/AgentError.ts"
import type {
  AdoptOptions,
  ExportFormat,
  ForkOptions,
  SessionInfo,
  SessionRef,
  StoredItem,
  TranscriptEvent,
  TranscriptOptions
} from "../../contract/Sessions.ts"
import { NotKept, StoreError } from "../../contract/StoreError.ts"
import { untraced } from "../../contract/untraced.ts"
import { makeRunId } from "../../system/process/host.ts"
import { type ExportedEvent, type ExportedSession, exportText } from "../export/exportText.ts"
import type { OpenStore } from "../store/OpenStore.ts"
import { transcriptEvents } from "../transcript/events.ts"
import { removeTranscript } from "../transcript/rows.ts"
import { keyText } from "../turns/conversationKey.ts"
import { readOutside } from "../turns/outside.ts"
import { formatResumeLine, isResumableId } from "../turns/resumeLine.ts"
import { expiryAfter, titleOf } from "../turns/sessionRows.ts"
import {
  archiveSession,
  asStoreError,
  clearConversation,
  joinConversation,
  removeUnusedWorktree,
  renameSession,
  whileFree
} from "./change.ts"
import { checkedKey, findRow, findSessionInfo, invalid } from "./find.ts"
import type { History } from "./History.ts"
import type { HistoryCli, HistoryContext } from "./info.ts"
import { listSessions } from "./list.ts"

type Events = Stream.Stream<ExportedEvent, StoreError>

const formats: ReadonlySet<unknown> = new Set<ExportFormat>(["markdown", "json"])

const exportedOf = (item: StoredItem): ExportedEvent => {
  const stamp = item.at === undefined ? {} : { at: item.at }
  if ("event" in item) return { ...stamp, event: item.event }
  return { ...stamp, event: { type: "prompt", text: item.prompt } }
}

const unreadable = () =>
  new StoreError({ reason: new StoreUnavailable({ problem: "the session's own file could not be read to its end" }) })

const fromCli = Effect.fn(...untraced("Guarded.fromCli"))(function* (
  { clis }: HistoryContext,
  { cli: id, sessionId }: SessionInfo
) {
  const cli = clis.find((each) => each.id === id)
  const items = cli && (yield* readOutside({ cli }, sessionId))
  return items?.pipe(Stream.map(exportedOf), Stream.mapError(unreadable))
})

const fromTranscript = Effect.fn(...untraced("Guarded.fromTranscript"))(function* (
  { store }: HistoryContext,
  { id }: SessionInfo
) {
  if (id === undefined) return undefined
  const [first] = yield* Stream.runCollect(Stream.take(transcriptEvents(store, id, { follow: false }), 1)).pipe(
    Effect.catchIf(
      ({ reason }) => reason._tag === "NotKept",
      () => Effect.succeed([])
    )
  )
  const events: Events | undefined = first && transcriptEvents(store, id, { follow: false })
  return events
})

/** If the session was started in its CLI, only the CLI has the beginning. */
const eventsOf = Effect.fn(...untraced("Guarded.eventsOf"))(function* (context: HistoryContext, session: SessionInfo) {
  const [one, other] = session.origin === "reins" ? [fromTranscript, fromCli] : [fromCli, fromTranscript]
  const events = (yield* one(context, session)) ?? (yield* other(context, session))
  return events ?? (yield* new StoreError({ reason: new NotKept({ session: session.id ?? session.sessionId }) }))
})

const headOf = ({ clis }: HistoryContext, session: SessionInfo): ExportedSession => {
  const cli = clis.find(({ id }) => id === session.cli)
  const { holder: _, ...facts } = session
  const line = cli && isResumableId(session.sessionId) ? formatResumeLine(cli, session.sessionId) : undefined
  return line === undefined ? facts : { ...facts, resumeLine: line }
}

export const exportSession = (
  context: HistoryContext,
  ref: SessionRef,
  format: ExportFormat
): Stream.Stream<string, StoreError> =>
  Stream.unwrap(
    Effect.gen(function* () {
      if (!formats.has(format)) return yield* invalid("format", 'is neither "markdown" nor "json"')
      const session = yield* findSessionInfo(context, ref)
      return exportText(headOf(context, session), yield* eventsOf(context, session), format)
    })
  )

/** Also makes an archived or dead session of ours usable again. */
export const adoptSession = Effect.fn(...untraced("Guarded.adoptSession"))(function* (
  context: HistoryContext,
  ref: SessionRef,
  { conversation }: AdoptOptions = {}
): Effect.fn.Return<SessionInfo, StoreError> {
  const { sql, transact, home, keep } = context.store
  const found = yield* findSessionInfo(context, ref)
  const at = yield* Clock.currentTimeMillis
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

/** A CLI of the application's own decides at the turn. */
const mayFork = ({ clis }: HistoryContext, cli: string) =>
  clis.find(({ id }) => id === cli)?.supports.has("forkSession") ?? true

/** Only marks the fork: CLIs copy a session only with a prompt, so the conversation's next turn makes the copy. */
export const forkSession = Effect.fn(...untraced("Guarded.forkSession"))(function* (
  context: HistoryContext,
  ref: SessionRef,
  options: ForkOptions
): Effect.fn.Return<SessionInfo, StoreError> {
  const { store, holdConversation } = context
  const { sql, transact } = store
  if (!Predicate.hasProperty(options, "conversation")) {
    return yield* invalid("conversation", "is missing: the one that goes on in the fork")
  }
  const key = yield* checkedKey(options.conversation)
  const row = yield* findRow(context, ref)
  if (!mayFork(context, row.cli)) {
    return yield* new StoreError({ reason: new UnsupportedOption({ option: "forkSession", cli: row.cli }) })
  }
  const mark = { conversation: keyText(key), cli: row.cli, session_key: row.key, forks: 1 }
  const marked = transact(sql`insert into conversations ${sql.insert(mark)}
    on conflict (conversation, cli) do update set session_key = excluded.session_key, forks = 1`)
  yield* Effect.scoped(Effect.andThen(asStoreError(holdConversation(key)), marked))
  return yield* findSessionInfo(context, row.key)
})

export const forgetSession = Effect.fn(...untraced("Guarded.forgetSession"))(function* (
  context: HistoryContext,
  ref: SessionRef
): Effect.fn.Return<void, StoreError> {
  const { store } = context
  const { sql, transact } = store
  const row = yield* findRow(context, ref)
  const emptied = Effect.gen(function* () {
    yield* sql`update turns set prompt = null, params = null, result = null where session_key = ${row.key}`
    yield* sql`delete from conversations where session_key = ${row.key}`
    yield* sql`delete from sessions where key = ${row.key}`
  })
  // The transcript first, in small steps: if this is interrupted, the session can still be forgotten.
  yield* whileFree(context, row, Effect.andThen(removeTranscript(store, row.key), transact(emptied)))
  yield* removeUnusedWorktree(context, row)
})

export const sessionTranscript = (
  context: HistoryContext,
  ref: SessionRef,
  options?: TranscriptOptions
): Stream.Stream<TranscriptEvent, StoreError> =>
  Stream.unwrap(
    Effect.map(findSessionInfo(context, ref), ({ id, sessionId }) =>
      id === undefined
        ? Stream.fail(new StoreError({ reason: new NotKept({ session: sessionId }) }))
        : transcriptEvents(context.store, id, options)
    )
  )

export const makeHistory = (context: HistoryContext): History => ({
  list: (filter) => listSessions(context, filter),
  get: (session) => findSessionInfo(context, session),
  rename: (session, title) => renameSession(context, session, title),
  forget: (session) => forgetSession(context, session),
  archive: (session) => archiveSession(context, session),
  fork: (session, options) => forkSession(context, session, options),
  adopt: (session, options) => adoptSession(context, session, options),
  clear: (conversation, cli) => clearConversation(context, conversation, cli),
  events: (session, options) => sessionTranscript(context, session, options),
  export: (session, format) => exportSession(context, session, format)
})

const held = (subject: Subject) =>
  Effect.flatMap(makeRunId, (runId) =>
    holdSubject({ subject, runId, isPatient: false, patienceMs: 0, queued: () => {} })
  )

export const guardedHistory = (
  store: OpenStore,
  clis: ReadonlyArray<HistoryCli>,
  worktrees: HistoryContext["worktrees"]
): History =>
  makeHistory({
    store,
    clis,
    worktrees,
    whoHolds: (cli, sessionId) => whoHolds({ what: "session", cli, sessionId }),
    holdSession: (cli, sessionId) => held({ what: "session", cli, sessionId }),
    // Conversations of a store in memory are held by each `Sessions` itself.
    holdConversation: (key) =>
      store.kind === "memory" ? Effect.void : held({ what: "conversation", key, store: store.place })
  })
