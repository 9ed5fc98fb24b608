/** Permission requests and questions of agents, while people are asked. `request` is JSON of the bridge. */
import { Clock, Effect } from "effect"
import { present } from "../../contract/present.ts"
import { countIn, textIn, wordIn } from "../../conversations/store/columns.ts"
import { type Conversation, conversationOfText, conversationText } from "../messages/Conversation.ts"
import { type Account, readRows } from "./account.ts"

const requestStates = ["open", "answered", "over"] as const

export interface NewRequest {
  /** Part of the payload of buttons. */
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
  /** The person who answered. */
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
  const own = { id, conversation, turnId, requestId, request, state, at }
  return { ...own, ...present({ messageId, answer, person, deadline }) }
}

const readable = readRows(rowOf)

export const makeRequests = ({ channel, accountId: account, store: { sql }, mine, find, change, step }: Account) => {
  const close = (id: string, to: Readonly<Record<string, unknown>>) =>
    step(sql`update bridge_requests set ${sql.update(to)} where ${mine} and id = ${id} and state = 'open' returning id`)
  return {
    put: ({ id, conversation, turnId, requestId, request, deadline }: NewRequest) =>
      Effect.flatMap(Clock.currentTimeMillis, (at) => {
        const key = { id, channel, account, conversation: conversationText(conversation) }
        const row = { ...key, turn_id: turnId, request_id: requestId, request, state: "open", at }
        const insert = sql.insert({ ...row, deadline: deadline ?? null })
        return change(Effect.asVoid(sql`insert into bridge_requests ${insert} on conflict (id) do nothing`))
      }),
    get: (id: string) =>
      find(sql<object>`select * from bridge_requests where ${mine} and id = ${id}`, (rows) => readable(rows)[0]),
    /** Unanswered requests, oldest first. */
    open: find(sql<object>`select * from bridge_requests where ${mine} and state = 'open' order by at, id`, readable),
    /** Notes the message that shows the request. */
    shown: (id: string, messageId: string) =>
      change(Effect.asVoid(sql`update bridge_requests set message_id = ${messageId} where ${mine} and id = ${id}`)),
    /** Returns false if it was no longer open. */
    answer: (id: string, answer: string, person: string) => close(id, { state: "answered", answer, person }),
    /** Ends it without an answer; returns false if it was no longer open. */
    end: (id: string, why: string) => close(id, { state: "over", answer: why })
  }
}
