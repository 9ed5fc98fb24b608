/** Permission requests and questions of agents, while people are asked. What they are about is JSON of the bridge. */
import { Clock, Effect } from "effect"
import { countIn, present, textIn, wordIn } from "../../conversations/store/columns.ts"
import { type Conversation, conversationText } from "../messages/Conversation.ts"
import type { Account } from "./account.ts"
import { conversationOfText } from "./conversations.ts"

const requestStates = ["open", "answered", "over"] as const

export interface NewRequest {
  /** Stands in the data of buttons. */
  readonly id: string
  readonly conversation: Conversation
  readonly turnId: string
  /** The agent's id. */
  readonly requestId: string
  readonly request: string
  /** In ms since 1970. */
  readonly deadline?: number
}

export interface RequestRow extends NewRequest {
  readonly state: (typeof requestStates)[number]
  /** The message with the buttons. */
  readonly messageId?: string
  readonly answer?: string
  /** Who answered. */
  readonly person?: string
  readonly at: number
}

const rowOf = (row: object): RequestRow | undefined => {
  const [id, turnId, requestId] = [textIn(row, "id"), textIn(row, "turn_id"), textIn(row, "request_id")]
  const [request, state, at] = [textIn(row, "request"), wordIn(row, "state", requestStates), countIn(row, "at")]
  const conversation = conversationOfText(textIn(row, "conversation") ?? "")
  if (id === undefined || turnId === undefined || requestId === undefined || conversation === undefined)
    return undefined
  if (request === undefined || state === undefined || at === undefined) return undefined
  const [messageId, answer, person] = [textIn(row, "message_id"), textIn(row, "answer"), textIn(row, "person")]
  const deadline = countIn(row, "deadline")
  return {
    id,
    conversation,
    turnId,
    requestId,
    request,
    state,
    at,
    ...present({ messageId, answer, person, deadline })
  }
}

const readable = (rows: ReadonlyArray<object>) => rows.flatMap((row) => rowOf(row) ?? [])

export const makeRequests = ({ channel, accountId: account, store: { sql, read }, change }: Account) => {
  const mine = sql`channel = ${channel} and account = ${account}`
  const step = (id: string, to: Readonly<Record<string, unknown>>) =>
    change(
      Effect.map(
        sql`update bridge_requests set ${sql.update(to)} where ${mine} and id = ${id} and state = 'open' returning id`,
        (rows) => rows.length > 0
      )
    )
  return {
    put: ({ id, conversation, turnId, requestId, request, deadline }: NewRequest) =>
      Effect.flatMap(Clock.currentTimeMillis, (at) => {
        const key = { id, channel, account, conversation: conversationText(conversation) }
        const row = { ...key, turn_id: turnId, request_id: requestId, request, state: "open", at }
        const insert = sql.insert({ ...row, deadline: deadline ?? null })
        return change(Effect.asVoid(sql`insert into bridge_requests ${insert} on conflict (id) do nothing`))
      }),

    get: (id: string) =>
      read(
        Effect.map(sql<object>`select * from bridge_requests where ${mine} and id = ${id}`, (rows) => readable(rows)[0])
      ),

    /** Unanswered requests, oldest first. */
    open: read(
      Effect.map(sql<object>`select * from bridge_requests where ${mine} and state = 'open' order by at, id`, readable)
    ),

    /** The message that shows it. */
    shown: (id: string, messageId: string) =>
      change(Effect.asVoid(sql`update bridge_requests set message_id = ${messageId} where ${mine} and id = ${id}`)),

    /** Returns false if it was no longer open. */
    answer: (id: string, answer: string, person: string) => step(id, { state: "answered", answer, person }),

    /** Ends it without an answer; returns false if it was no longer open. */
    end: (id: string, why: string) => step(id, { state: "over", answer: why })
  }
}
