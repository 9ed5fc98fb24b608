/**
 * Pieces on their way to people. `ready`, then `sending` before the one attempt, then `sent`; back to `ready` where it
 * surely was not sent. `unknown`: it may be there, and is never sent again unasked. `held`: until the person writes.
 * `failed`: refused for good.
 */
import { Clock, Effect, Option, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { countIn, present, textIn, wordIn } from "../../conversations/store/columns.ts"
import { type Conversation, conversationText } from "../messages/Conversation.ts"
import { Piece } from "../messages/ReplyPayload.ts"
import type { Account } from "./account.ts"
import { conversationOfText } from "./conversations.ts"

const pieceStates = ["ready", "sending", "sent", "held", "unknown", "failed"] as const
export type PieceState = (typeof pieceStates)[number]

/** `request`: a question of the agent, past what else waits. `ask`: what became of an answer is not known. */
const pieceKinds = ["answer", "gateway", "notice", "request", "ask"] as const
export type PieceKind = (typeof pieceKinds)[number]

/** A piece that is to be sent. */
export interface NewPiece {
  /** Also of every attempt: the turn and its number, or the gateway's id. */
  readonly key: string
  readonly conversation: Conversation
  readonly kind: PieceKind
  readonly piece: Piece
  readonly turnId?: string
  /** The send of the gateway that it belongs to. */
  readonly sendId?: string
}

/** The same as it is stored. */
export interface OutboxRow extends NewPiece {
  readonly seq: number
  readonly state: PieceState
  /** The newest message of the conversation that was known when it went to `sending`. */
  readonly after?: string
  readonly messageId?: string
  readonly reason?: string
  readonly tries: number
  /** Not to be tried before; in ms since 1970. */
  readonly notBefore: number
  /** Its last attempt. */
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

const readable = (rows: ReadonlyArray<object>) => rows.flatMap((row) => rowOf(row) ?? [])

/** A part of a transaction. A key that is there stays as it is. */
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

export const makeOutbox = ({ channel, accountId: account, store: { sql, read }, change }: Account) => {
  const mine = sql`channel = ${channel} and account = ${account}`
  const step = (key: string, from: ReadonlyArray<PieceState>, to: Readonly<Record<string, unknown>>) =>
    change(
      Effect.map(
        sql`update outbox set ${sql.update(to)} where key = ${key} and ${mine} and ${sql.in("state", from)} returning key`,
        (rows) => rows.length > 0
      )
    )
  return {
    put: (pieces: ReadonlyArray<NewPiece>) => change(insertPieces(sql, channel, account, pieces)),

    /**
     * The next piece of each conversation, requests apart from the rest: what is behind it waits. `sending` ones are those
     * of which the outcome is not known yet.
     */
    heads: read(
      Effect.map(
        sql<object>`select * from outbox where seq in (
          select min(seq) from outbox where ${mine} and state in ('ready', 'sending', 'held')
          group by conversation, case when kind = 'request' then 1 else 0 end) order by seq`,
        readable
      )
    ),

    get: (key: string) =>
      read(Effect.map(sql<object>`select * from outbox where ${mine} and key = ${key}`, (rows) => readable(rows)[0])),

    /** Immediately before the attempt. */
    sending: (key: string, after: string | undefined) =>
      Effect.flatMap(Clock.currentTimeMillis, (attempted) =>
        change(
          Effect.map(
            sql`update outbox set state = 'sending', after_id = ${after ?? null}, attempted = ${attempted},
              tries = tries + 1 where key = ${key} and ${mine} and state = 'ready' returning key`,
            (rows) => rows.length > 0
          )
        )
      ),

    /** It is there. */
    sent: (key: string, messageId: string) =>
      step(key, ["ready", "sending", "unknown"], { state: "sent", message_id: messageId, reason: null }),

    /** It surely was not sent, and is tried again. */
    again: (key: string, notBefore: number) =>
      step(key, ["sending", "unknown", "held"], { state: "ready", not_before: notBefore }),

    hold: (key: string) => step(key, ["ready", "sending", "sent"], { state: "held" }),

    /** The person has written: what was held is ready. True: something was. */
    release: (conversation: Conversation) => {
      const held = sql`${mine} and state = 'held' and conversation = ${conversationText(conversation)}`
      const some = read(Effect.map(sql`select 1 from outbox where ${held} limit 1`, (rows) => rows.length > 0))
      const ready = change(sql`update outbox set state = 'ready', not_before = 0 where ${held}`)
      // Nearly never, and a transaction for each message is dear.
      return Effect.tap(some, (isThere) => (isThere ? ready : Effect.void))
    },

    /** For good; what tells the person, in the same transaction. */
    fail: (key: string, reason: string, telling: ReadonlyArray<NewPiece> = []) =>
      change(
        Effect.gen(function* () {
          const isFailed = yield* step(key, ["ready", "sending", "sent", "held"], { state: "failed", reason })
          if (isFailed) yield* insertPieces(sql, channel, account, telling)
          return isFailed
        })
      ),

    /** It may be there; what asks the person about it, in the same transaction. */
    unknown: (key: string, reason: string, asking: ReadonlyArray<NewPiece>) =>
      change(
        Effect.gen(function* () {
          yield* sql`update outbox set state = 'unknown', reason = ${reason}
            where key = ${key} and ${mine} and state in ('ready', 'sending')`
          yield* insertPieces(sql, channel, account, asking)
        })
      ),

    /** Messages of a conversation that may be missing, the newest last. */
    unknownIn: (conversation: Conversation) =>
      read(
        Effect.map(
          sql<object>`select * from outbox where ${mine} and state = 'unknown'
            and conversation = ${conversationText(conversation)} order by seq`,
          readable
        )
      ),

    /** The one with this message of the channel. */
    ofMessage: (conversation: Conversation, messageId: string) =>
      read(
        Effect.map(
          sql<object>`select * from outbox where ${mine} and conversation = ${conversationText(conversation)}
            and message_id = ${messageId} order by seq desc limit 1`,
          (rows) => readable(rows)[0]
        )
      ),

    /** The same where a channel tells the message alone; undefined where several chats have one with this id. */
    ofMessageId: (messageId: string) =>
      read(
        Effect.map(sql<object>`select * from outbox where ${mine} and message_id = ${messageId} limit 2`, (rows) =>
          rows.length === 1 ? readable(rows)[0] : undefined
        )
      ),

    /** The newest message of ours in a conversation, of those that are known to be there. */
    newestSent: (conversation: Conversation) =>
      read(
        Effect.map(
          sql<object>`select message_id from outbox where ${mine} and state = 'sent'
            and conversation = ${conversationText(conversation)} order by seq desc limit 1`,
          ([row = {}]) => textIn(row, "message_id")
        )
      ),

    /** How many there are in each state: for people. */
    counts: read(
      Effect.map(
        sql<object>`select state, count(*) as count from outbox where ${mine} group by state`,
        (rows): ReadonlyMap<string, number> =>
          new Map(rows.map((row) => [textIn(row, "state") ?? "", countIn(row, "count") ?? 0]))
      )
    )
  }
}
