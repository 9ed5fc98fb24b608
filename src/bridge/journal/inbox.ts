/**
 * Messages of people, stored before their channel gets a confirmation: `waiting`, then `taken` by a turn, then `done`
 * with the turn's answer in the outbox; or `dropped`.
 */
import { Clock, Effect, Option, Schema } from "effect"
import type { SqlError, Statement } from "effect/sql"
import { present } from "../../contract/present.ts"
import { countIn, textIn, wordIn } from "../../conversations/store/columns.ts"
import { ChannelMessage } from "../messages/ChannelMessage.ts"
import { type Conversation, conversationText } from "../messages/Conversation.ts"
import { type Account, readRows } from "./account.ts"
import { writeMark } from "./marks.ts"
import { insertPieces, type NewPiece } from "./outbox.ts"

const inboxStates = ["waiting", "taken", "done", "dropped"] as const

export interface InboxRow {
  readonly updateId: string
  /** `conversationText` of its conversation. */
  readonly conversation: string
  readonly seq: number
  readonly message: ChannelMessage
  readonly state: (typeof inboxStates)[number]
  readonly turnId?: string
  /** Time of acceptance, in ms since 1970. */
  readonly at: number
}

/** How a message is stored. */
export interface Accepted {
  /** Mark of the channel, written with it. */
  readonly mark?: string | undefined
  /** Recorded for deduplication; never answered. */
  readonly isDropped?: boolean
  /** The turn that takes it at once. Default: it waits. */
  readonly takenBy?: string | undefined
}

/** Owner of messages that were added to a running turn: they are not part of its prompt. */
export const addedTo = (turnId: string): string => `${turnId}/added`

/** Owner of a command until it is answered: no turn takes it. */
export const commandOf = (updateId: string): string => `command/${updateId}`

const MessageJson = Schema.fromJsonString(ChannelMessage)
const decodeMessage = Schema.decodeUnknownOption(MessageJson)
const encodeMessage = Schema.encodeSync(MessageJson)

/** Undefined for a row that this version cannot read, or whose text was blanked. */
const rowOf = (row: object): InboxRow | undefined => {
  const [updateId, conversation] = [textIn(row, "update_id"), textIn(row, "conversation")]
  const [seq, state, at] = [countIn(row, "seq"), wordIn(row, "state", inboxStates), countIn(row, "at")]
  const message = Option.getOrUndefined(decodeMessage(textIn(row, "message")))
  if (updateId === undefined || conversation === undefined || message === undefined) return undefined
  if (seq === undefined || state === undefined || at === undefined) return undefined
  return { updateId, conversation, seq, message, state, at, ...present({ turnId: textIn(row, "turn_id") }) }
}

const readable = readRows(rowOf)

export const makeInbox = ({ channel, accountId: account, store: { sql }, mine, find, change, step }: Account) => {
  const ids = (updateIds: ReadonlyArray<string>) => sql.in("update_id", updateIds)
  const isCommand = sql`turn_id like 'command/%'`
  const isForTurns = sql`(turn_id is null or turn_id not like 'command/%')`
  const found = (where: Statement.Fragment) =>
    find(sql<object>`select * from inbox where ${mine} and ${where} order by seq`, readable)
  return {
    /** Stores a message, and the channel's mark with it; returns false if it was stored before. */
    accept: (message: ChannelMessage, { mark, isDropped = false, takenBy }: Accepted = {}) =>
      step(
        Effect.gen(function* () {
          const at = yield* Clock.currentTimeMillis
          if (mark !== undefined) yield* writeMark(sql, channel, account, "incoming", mark)
          const [last = {}] = yield* sql<object>`select max(seq) as seq from inbox`
          const row = {
            ...{ channel, account, update_id: message.updateId, conversation: conversationText(message.conversation) },
            ...{ seq: (countIn(last, "seq") ?? 0) + 1, message_id: message.messageId ?? null },
            message: isDropped ? null : encodeMessage(message),
            state: isDropped ? "dropped" : takenBy === undefined ? "waiting" : "taken",
            ...{ turn_id: takenBy ?? null, at }
          }
          return yield* sql`insert into inbox ${sql.insert(row)}
            on conflict (channel, account, update_id) do nothing returning seq`
        })
      ),
    /** Messages of a conversation that no turn has taken, in order. */
    waiting: (conversation: string) => found(sql`conversation = ${conversation} and state = 'waiting'`),
    /** Ids of the same messages. */
    waitingIds: (conversation: string) =>
      find(
        sql<object>`select update_id from inbox where ${mine} and conversation = ${conversation} and state = 'waiting' order by seq`,
        (rows) => rows.map((row) => textIn(row, "update_id") ?? "")
      ),
    /** Taken and waiting messages of a conversation, in order. */
    openIn: (conversation: string) =>
      found(sql`conversation = ${conversation} and state in ('waiting', 'taken') and ${isForTurns}`),
    /** Unanswered commands of all conversations. */
    commands: found(sql`state = 'taken' and ${isCommand}`),
    /** Whether the message was stored before, in any state. */
    knows: (updateId: string) =>
      find(sql<object>`select state from inbox where ${mine} and update_id = ${updateId}`, (rows) => rows.length > 0),
    /** Taken and waiting messages of all conversations, for the start of a server. */
    open: found(sql`state in ('waiting', 'taken') and ${isForTurns}`),
    ofTurn: (turnId: string) => found(sql`turn_id = ${turnId}`),
    /** The state of the message with this id of the channel; undefined if it is unknown. */
    ofMessage: (conversation: Conversation, messageId: string) =>
      find(
        sql<object>`select update_id, state, turn_id from inbox where ${mine} and message_id = ${messageId}
          and conversation = ${conversationText(conversation)}`,
        ([row = {}]) => {
          const [updateId, state] = [textIn(row, "update_id"), wordIn(row, "state", inboxStates)]
          if (updateId === undefined || state === undefined) return undefined
          return { updateId, state, ...present({ turnId: textIn(row, "turn_id") }) }
        }
      ),

    /** A turn takes waiting messages; returns false, and changes nothing, if one of them no longer waits. */
    take: (updateIds: ReadonlyArray<string>, turnId: string) =>
      change(
        Effect.gen(function* () {
          const waiting =
            yield* sql`select update_id from inbox where ${mine} and ${ids(updateIds)} and state = 'waiting'`
          if (waiting.length !== updateIds.length) return false
          yield* sql`update inbox set state = 'taken', turn_id = ${turnId} where ${mine} and ${ids(updateIds)}`
          return true
        })
      ),

    /** A message waits again: nothing of it was begun, even if its turn has ended meanwhile. */
    putBack: (updateId: string, turnId: string) =>
      change(
        Effect.asVoid(
          sql`update inbox set state = 'waiting', turn_id = null, asked = 0 where ${mine} and update_id = ${updateId}
            and turn_id = ${turnId} and state in ('taken', 'done')`
        )
      ),

    /** Drops messages that wait, or that this turn has taken. Returns those that were still open. */
    drop: (updateIds: ReadonlyArray<string>, turnId?: string) =>
      change(
        Effect.map(
          sql<object>`update inbox set state = 'dropped' where ${mine} and ${ids(updateIds)}
            and (state = 'waiting' or (state = 'taken' and turn_id = ${turnId ?? ""})) returning update_id`,
          (rows) => rows.map((row) => textIn(row, "update_id") ?? "")
        )
      ),

    /** Changes a waiting message, or withdraws it. `Late`: it no longer waits. `Unknown`: it was never stored. */
    amend: (conversation: Conversation, messageId: string, text: string | undefined) =>
      change(
        Effect.gen(function* (): Effect.fn.Return<"Amended" | "Late" | "Unknown", SqlError.SqlError> {
          const rows = yield* sql<object>`select * from inbox where ${mine} and message_id = ${messageId}
            and conversation = ${conversationText(conversation)} and message is not null`
          const [row] = readable(rows)
          if (row === undefined || row.state === "dropped") return "Unknown"
          if (row.state !== "waiting") return "Late"
          const changed =
            text === undefined
              ? { state: "dropped", message: null }
              : { state: "waiting", message: encodeMessage({ ...row.message, text }) }
          yield* sql`update inbox set ${sql.update(changed)} where ${mine} and update_id = ${row.updateId}`
          return "Amended"
        })
      ),

    /** Ends a turn, and puts its answer into the outbox. `isAsked`: people are asked about its interruption. */
    finish: (turnId: string, pieces: ReadonlyArray<NewPiece>, isAsked = false) =>
      change(
        Effect.gen(function* () {
          yield* insertPieces(sql, channel, account, pieces)
          yield* sql`update inbox set state = 'done', asked = ${isAsked ? 1 : 0} where ${mine} and state = 'taken'
            and ${sql.in("turn_id", [turnId, addedTo(turnId)])}`
        })
      ),

    /** The latest turn that people are asked about in a conversation; undefined without one. */
    asked: (conversation: Conversation) =>
      find(
        sql<object>`select turn_id from inbox where ${mine} and conversation = ${conversationText(conversation)}
          and asked = 1 order by seq desc`,
        (rows) => rows.map((row) => textIn(row, "turn_id")).find((turnId) => turnId?.endsWith(addedTo("")) === false)
      ),

    /** Decides once about an interrupted turn; false if none is pending. `again`: messages added to it wait again. */
    resume: (turnId: string, decision: "continue" | "again" | "forget") =>
      step(
        Effect.gen(function* () {
          const state = decision === "forget" ? "done" : "taken"
          const resumed = yield* sql`update inbox set ${sql.update({ state, asked: 0 })}
            where ${mine} and turn_id = ${turnId} and asked = 1 returning seq`
          const added = decision === "again" ? { state: "waiting", turn_id: null, asked: 0 } : { asked: 0 }
          yield* sql`update inbox set ${sql.update(added)}
            where ${mine} and turn_id = ${addedTo(turnId)} and asked = 1`
          return resumed
        })
      )
  }
}
