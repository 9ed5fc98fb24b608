/** The rows of `sessions` and `conversations`. */
import { Effect, Schema } from "effect"
import { present } from "../../contract/present.ts"
import type { SessionOrigin, SessionState } from "../../contract/Sessions.ts"
import { harmless } from "../../contract/text/harmless.ts"
import { countIn, textIn, wordIn } from "../store/columns.ts"
import type { OpenStore } from "../store/OpenStore.ts"

/** The title of an unnamed session: the beginning of its first prompt; pure. */
const maxLength = 200

/** One line without control characters; null for an empty one. */
export const titleOf = (prompt: string): string | null => {
  const line = harmless(prompt.slice(0, 4 * maxLength))
    .replace(/\s+/g, " ")
    .trim()
  if (line === "") return null
  const characters = Array.from(line)
  return characters.length <= maxLength ? line : `${characters.slice(0, maxLength - 1).join("")}…`
}

export interface SessionRow {
  readonly key: string
  /** Where its files lie. */
  readonly home: string
  readonly cli: string
  readonly sessionId: string
  /** The text of the key of the conversation to which it belongs, or did last. */
  readonly conversation?: string
  readonly directory?: string
  readonly model?: string
  readonly title?: string
  readonly origin: Exclude<SessionOrigin, "outside">
  readonly state: SessionState
  /** Failures without output, in a row. */
  readonly failures: number
  readonly parentKey?: string
  readonly created: number
  readonly used: number
  /** Absent: never. */
  readonly expires?: number
  readonly turns: number
  readonly lastRun?: string
  readonly isToBeForked?: true
}

const states = ["live", "dead", "quarantined", "archived"] as const
const origins = ["reins", "adopted"] as const

/** Undefined for a row that this version cannot read. */
export const sessionOfRow = (row: object): SessionRow | undefined => {
  const [key, home, cli, sessionId] = ["key", "home", "cli", "session_id"].map((name) => textIn(row, name))
  const [state, origin] = [wordIn(row, "state", states), wordIn(row, "origin", origins)]
  const [created, used] = [countIn(row, "created"), countIn(row, "used")]
  if (key === undefined || home === undefined || cli === undefined || sessionId === undefined) return undefined
  if (state === undefined || origin === undefined || created === undefined || used === undefined) return undefined
  return {
    key,
    home,
    cli,
    sessionId,
    origin,
    state,
    created,
    used,
    failures: countIn(row, "failures") ?? 0,
    turns: countIn(row, "turns") ?? 0,
    ...present({
      conversation: textIn(row, "conversation"),
      directory: textIn(row, "directory"),
      model: textIn(row, "model"),
      title: textIn(row, "title"),
      parentKey: textIn(row, "parent_key"),
      expires: countIn(row, "expires"),
      lastRun: textIn(row, "last_run"),
      isToBeForked: countIn(row, "forks") === 1 ? true : undefined
    })
  }
}

const first = (rows: ReadonlyArray<object>) => {
  const [row] = rows
  return row === undefined ? undefined : sessionOfRow(row)
}

/** The session of a conversation; of another home, too. */
export const sessionOfConversation = ({ sql, read }: OpenStore, conversation: string, cli: string) =>
  read(
    Effect.map(
      sql<object>`select s.*, c.forks from conversations c join sessions s on s.key = c.session_key
        where c.conversation = ${conversation} and c.cli = ${cli}`,
      first
    )
  )

export const sessionByKey = ({ sql, read }: OpenStore, key: string) =>
  read(Effect.map(sql<object>`select * from sessions where key = ${key}`, first))

/** By the CLI's own id, of this home. */
export const sessionById = ({ sql, read, home }: OpenStore, cli: string, sessionId: string) =>
  read(
    Effect.map(
      sql<object>`select * from sessions where home = ${home} and cli = ${cli} and session_id = ${sessionId}`,
      first
    )
  )

/** Whether a session may be continued unasked. A quarantine ends with its time. */
export const isUsable = ({ state, expires }: SessionRow, now: number): boolean =>
  state === "quarantined" ? expires !== undefined && expires <= now : state === "live" && (expires ?? now + 1) > now

export const OpenedSession = Schema.Struct({
  cli: Schema.String,
  sessionId: Schema.String,
  directory: Schema.String,
  /** The text of its key. */
  conversation: Schema.NullOr(Schema.String),
  model: Schema.NullOr(Schema.String),
  title: Schema.NullOr(Schema.String),
  parentKey: Schema.NullOr(Schema.String),
  runId: Schema.String
})
export type OpenedSession = typeof OpenedSession.Type

/** Inserts or updates it, and returns its key. A dead session is live again, since its CLI has opened it. */
export const rememberSession = ({ sql, transact, home, keep }: OpenStore, opened: OpenedSession, now: number) => {
  const { cli, sessionId } = opened
  const fresh = {
    key: crypto.randomUUID(),
    home,
    cli,
    session_id: sessionId,
    conversation: opened.conversation,
    directory: opened.directory,
    model: opened.model,
    title: opened.title,
    origin: "reins",
    state: "live",
    failures: 0,
    parent_key: opened.parentKey,
    created: now,
    used: now,
    expires: expiryAfter(now, keep.sessionsMs),
    turns: 0,
    last_run: opened.runId
  }
  return transact(
    Effect.gen(function* () {
      yield* sql`insert into sessions ${sql.insert(fresh)} on conflict (home, cli, session_id) do update set
        directory = excluded.directory, model = coalesce(excluded.model, sessions.model),
        title = coalesce(sessions.title, excluded.title), last_run = excluded.last_run,
        conversation = coalesce(excluded.conversation, sessions.conversation),
        state = case when sessions.state = 'dead' then 'live' else sessions.state end,
        used = case when excluded.used > sessions.used then excluded.used else sessions.used end`
      const rows = yield* sql<object>`select * from sessions
        where home = ${home} and cli = ${cli} and session_id = ${sessionId}`
      return first(rows)?.key ?? fresh.key
    })
  )
}

/** Null for never: `keep.sessions` may be infinite. */
export const expiryAfter = (now: number, keptMs: number): number | null =>
  Number.isFinite(now + keptMs) ? now + Math.round(keptMs) : null
