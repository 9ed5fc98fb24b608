/** Messages that an agent sent through the gateway: written before its tool answers, and read after the run. */
import { Clock, Effect, Option, Schema } from "effect"
import type { SqlError } from "effect/sql"
import { countIn, textIn } from "../../conversations/store/columns.ts"
import type { SentMessage, SentState } from "../messages/AgentDeliveryResult.ts"
import { type Conversation, conversationOfText, conversationText } from "../messages/Conversation.ts"
import type { Account } from "./account.ts"
import { insertPieces, type NewPiece } from "./outbox.ts"

export interface NewSend {
  readonly sendId: string
  readonly turnId: string
  /** The name by which the tool was called. */
  readonly tool: string
  readonly conversation: Conversation
  readonly text: string
  readonly mediaUrls: ReadonlyArray<string>
  /** Digests of the files: the same path with another content is another send. Default: none. */
  readonly digests?: ReadonlyArray<string>
  readonly pieces: ReadonlyArray<Omit<NewPiece, "kind" | "conversation" | "turnId" | "sendId">>
}

/** `TooMany`: nothing was written. `Same`: an equal send with this id exists. */
export type SendPut =
  | { readonly _tag: "Queued" | "Same"; readonly sendId: string }
  | { readonly _tag: "TooMany"; readonly most: number }

/** A model that gets no answer for so long calls again. */
export const sameWithinMs = 60_000
export const mostOfTurn = 20

const mediaOf = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Array(Schema.Array(Schema.String))))

const stateOf = (row: object): SentState => {
  const count = (name: string) => countIn(row, name) ?? 0
  if (count("failed") > 0) return "failed"
  if (count("unknown") > 0) return "unknown"
  return count("sent") === count("pieces") ? "delivered" : "queued"
}

const sentOf = (row: object): SentMessage | undefined => {
  const [tool, text, at] = [textIn(row, "tool"), textIn(row, "text"), countIn(row, "at")]
  const to = conversationOfText(textIn(row, "conversation") ?? "")
  if (tool === undefined || text === undefined || at === undefined || to === undefined) return undefined
  const thread = to.threadId === undefined ? {} : { threadId: to.threadId }
  const target = { tool, provider: to.channel, accountId: to.accountId, to: to.chatId, ...thread }
  const [mediaUrls = []] = Option.getOrElse(mediaOf(textIn(row, "media")), () => [])
  return { target, text, mediaUrls, state: stateOf(row), at }
}

export const makeSends = ({ channel, accountId: account, store: { sql }, find, change }: Account) => ({
  /** The send and its pieces, or neither. The same text to the same target within a minute is the same send. */
  put: ({ sendId, turnId, tool, conversation, text, mediaUrls, digests = [], pieces }: NewSend) =>
    change(
      Effect.gen(function* (): Effect.fn.Return<SendPut, SqlError.SqlError> {
        const at = yield* Clock.currentTimeMillis
        const [target, media] = [conversationText(conversation), JSON.stringify([mediaUrls, digests])]
        const before = yield* sql<object>`select send_id, conversation, text, media, at from gateway_sends
          where turn_id = ${turnId}`
        const same = before.find(
          (row) =>
            textIn(row, "conversation") === target &&
            textIn(row, "text") === text &&
            textIn(row, "media") === media &&
            Math.abs(at - (countIn(row, "at") ?? 0)) < sameWithinMs
        )
        if (same !== undefined) return { _tag: "Same", sendId: textIn(same, "send_id") ?? "" }
        if (before.length >= mostOfTurn) return { _tag: "TooMany", most: mostOfTurn }
        yield* sql`insert into gateway_sends
          ${sql.insert({ send_id: sendId, turn_id: turnId, tool, conversation: target, text, media, at })}`
        const own = { kind: "gateway", conversation, turnId, sendId } as const
        const rows = pieces.map((piece) => ({ ...piece, ...own }))
        yield* insertPieces(sql, channel, account, rows)
        return { _tag: "Queued", sendId }
      })
    ),

  /** Sends of one turn, in order, each with its outcome. */
  ofTurn: (turnId: string) =>
    find(
      sql<object>`select s.send_id, s.tool, s.conversation, s.text, s.media, s.at, count(o.key) as pieces,
        sum(case when o.state = 'sent' then 1 else 0 end) as sent,
        sum(case when o.state = 'unknown' then 1 else 0 end) as unknown,
        sum(case when o.state = 'failed' then 1 else 0 end) as failed
        from gateway_sends s left join outbox o on o.send_id = s.send_id
        where s.turn_id = ${turnId}
        group by s.send_id, s.tool, s.conversation, s.text, s.media, s.at order by s.at, s.send_id`,
      (rows) => rows.flatMap((row) => sentOf(row) ?? [])
    )
})
