/**
 * Pieces on their way to people: `ready`, `sending` before the one attempt, then `sent`, or `ready` again if certainly
 * not sent. `unknown`: may have arrived, not resent unasked. `held`: until the person writes. `failed`: refused for good.
 */
import { Clock, Effect, Option, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { present } from "../../contract/present.ts"
import { countIn, textIn, wordIn } from "../../conversations/store/columns.ts"
import { type Conversation, conversationOfText, conversationText } from "../messages/Conversation.ts"
import { Piece } from "../messages/ReplyPayload.ts"
import { type Account, readRows } from "./account.ts"

const pieceStates = ["ready", "sending", "sent", "held", "unknown", "failed"] as const
export type PieceState = (typeof pieceStates)[number]

/** `request`: a question of the agent, past all that waits. `ask`: a question about an uncertain answer. */
const pieceKinds = ["answer", "gateway", "notice", "request", "ask"] as const
export type PieceKind = (typeof pieceKinds)[number]

/** A piece to be sent. */
export interface NewPiece {
  /** The same in every attempt: the turn and its number, or the gateway's id. */
  readonly key: string
  readonly conversation: Conversation
  readonly kind: PieceKind
  readonly piece: Piece
  readonly turnId?: string
  /** The send of the gateway that it belongs to. */
  readonly sendId?: string
}

export interface OutboxRow extends NewPiece {
  readonly seq: number
  readonly state: PieceState
  /** The newest message of the conversation that was known when it went to `sending`. */
  readonly after?: string
  readonly messageId?: string
  readonly reason?: string
  readonly tries: number
  /** The earliest time of the next attempt, in ms since 1970. */
  readonly notBefore: number
  /** Time of the last attempt. */
  readonly attempted?: number
  readonly at: number
}

const PieceJson = Schema.fromJsonString(Piece)
const decodePiece = Schema.decodeUnknownOption(PieceJson)
const encodePiece = Schema.encodeSync(PieceJson)

const rowOf = (row: object): OutboxRow | undefined => {
  const [key, text, kind] = [textIn(row, "key"), textIn(row, "conversation"), wordIn(row, "kind", pieceKinds)]
  const [seq, state, at] = [countIn(row, "seq"), wordIn(row, "state", pieceStates), countIn(row, "at")]
  const conversation = text === undefined ? undefined : conversationOfText(text)
  const piece = Option.getOrUndefined(decodePiece(textIn(row, "piece")))
  if (key === undefined || kind === undefined || seq === undefined || state === undefined || at === undefined)
    return undefined
  if (conversation === undefined || piece === undefined) return undefined
  return {
    ...{ key, kind, conversation, piece, seq, state, at },
    ...{ tries: countIn(row, "tries") ?? 0, notBefore: countIn(row, "not_before") ?? 0 },
    ...present({
      turnId: textIn(row, "turn_id"),
      sendId: textIn(row, "send_id"),
      after: textIn(row, "after_id"),
      messageId: textIn(row, "message_id"),
      reason: textIn(row, "reason"),
      attempted: countIn(row, "attempted")
    })
  }
}

const readable = readRows(rowOf)

/** Part of a transaction. A key that exists stays as it is. */
export const insertPieces = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  channel: string,
  account: string,
  pieces: ReadonlyArray<NewPiece>
) {
  if (pieces.length === 0) return
  const at = yield* Clock.currentTimeMillis
  const [last = {}] = yield* sql<object>`select max(seq) as seq from outbox`
  let seq = countIn(last, "seq") ?? 0
  for (const { key, conversation, kind, piece, turnId, sendId } of pieces) {
    seq += 1
    const own = { key, channel, account, conversation: conversationText(conversation), seq, kind, state: "ready", at }
    const row = { ...own, turn_id: turnId ?? null, send_id: sendId ?? null, piece: encodePiece(piece) }
    yield* sql`insert into outbox ${sql.insert(row)} on conflict (key) do nothing`
  }
})

export const makeOutbox = ({ channel, accountId: account, store: { sql }, mine, find, change, step }: Account) => {
  const move = (key: string, from: ReadonlyArray<PieceState>, to: Readonly<Record<string, unknown>>) =>
    step(
      sql`update outbox set ${sql.update(to)} where key = ${key} and ${mine} and ${sql.in("state", from)} returning key`
    )
  return {
    put: (pieces: ReadonlyArray<NewPiece>) => change(insertPieces(sql, channel, account, pieces)),

    /** The next piece of each conversation, requests apart from the rest: the pieces behind it wait. */
    heads: find(
      sql<object>`select * from outbox where seq in (
        select min(seq) from outbox where ${mine} and state in ('ready', 'sending', 'held')
        group by conversation, case when kind = 'request' then 1 else 0 end) order by seq`,
      readable
    ),
    get: (key: string) =>
      find(sql<object>`select * from outbox where ${mine} and key = ${key}`, (rows) => readable(rows)[0]),
    /** To be called immediately before the attempt. */
    sending: (key: string, after: string | undefined) =>
      Effect.flatMap(Clock.currentTimeMillis, (attempted) =>
        step(
          sql`update outbox set state = 'sending', after_id = ${after ?? null}, attempted = ${attempted},
            tries = tries + 1 where key = ${key} and ${mine} and state = 'ready' returning key`
        )
      ),
    sent: (key: string, messageId: string) =>
      move(key, ["ready", "sending", "unknown"], { state: "sent", message_id: messageId, reason: null }),
    /** For a piece that certainly was not sent. */
    again: (key: string, notBefore: number) =>
      move(key, ["sending", "unknown", "held"], { state: "ready", not_before: notBefore }),
    hold: (key: string) => move(key, ["ready", "sending", "sent"], { state: "held" }),
    /** Makes held pieces ready, since the person has written; returns whether there were any. */
    release: (conversation: Conversation) => {
      const held = sql`${mine} and state = 'held' and conversation = ${conversationText(conversation)}`
      const some = find(sql<object>`select 1 from outbox where ${held} limit 1`, (rows) => rows.length > 0)
      const ready = change(sql`update outbox set state = 'ready', not_before = 0 where ${held}`)
      // Rarely needed, and a transaction for each message is expensive.
      return Effect.tap(some, (isThere) => (isThere ? ready : Effect.void))
    },
    /** For a piece that is refused for good. `telling`: tells the person, in the same transaction. */
    fail: (key: string, reason: string, telling: ReadonlyArray<NewPiece> = []) =>
      change(
        Effect.gen(function* () {
          const isFailed = yield* move(key, ["ready", "sending", "sent", "held"], { state: "failed", reason })
          if (isFailed) yield* insertPieces(sql, channel, account, telling)
          return isFailed
        })
      ),
    /** For a piece that may have arrived. `asking`: asks the person, in the same transaction. */
    unknown: (key: string, reason: string, asking: ReadonlyArray<NewPiece>) =>
      change(
        Effect.gen(function* () {
          yield* sql`update outbox set state = 'unknown', reason = ${reason}
            where key = ${key} and ${mine} and state in ('ready', 'sending')`
          yield* insertPieces(sql, channel, account, asking)
        })
      ),
    /** Messages of a conversation that may be missing, the latest last. */
    unknownIn: (conversation: Conversation) =>
      find(
        sql<object>`select * from outbox where ${mine} and state = 'unknown'
          and conversation = ${conversationText(conversation)} order by seq`,
        readable
      ),
    /** The piece with this message id of the channel. */
    ofMessage: (conversation: Conversation, messageId: string) =>
      find(
        sql<object>`select * from outbox where ${mine} and conversation = ${conversationText(conversation)}
          and message_id = ${messageId} order by seq desc limit 1`,
        (rows) => readable(rows)[0]
      ),
    /** The same for a channel that does not name the chat; undefined if several chats have a message with this id. */
    ofMessageId: (messageId: string) =>
      find(sql<object>`select * from outbox where ${mine} and message_id = ${messageId} limit 2`, (rows) =>
        rows.length === 1 ? readable(rows)[0] : undefined
      ),
    /** The id of our latest message in a conversation that has certainly arrived. */
    newestSent: (conversation: Conversation) =>
      find(
        sql<object>`select message_id from outbox where ${mine} and state = 'sent'
          and conversation = ${conversationText(conversation)} order by seq desc limit 1`,
        ([row = {}]) => textIn(row, "message_id")
      ),
    /** Number of pieces in each state. */
    counts: find(
      sql<object>`select state, count(*) as count from outbox where ${mine} group by state`,
      (rows): ReadonlyMap<string, number> =>
        new Map(rows.map((row) => [textIn(row, "state") ?? "", countIn(row, "count") ?? 0]))
    )
  }
}
