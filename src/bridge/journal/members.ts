/** People who were let in by pairing, and what a chat has chosen. */
import { Clock, Effect } from "effect"
import { textIn } from "../../conversations/store/columns.ts"
import { type Conversation, conversationText } from "../messages/Conversation.ts"
import type { Account } from "./account.ts"

export const makeMembers = ({ channel, accountId: account, store: { sql, read }, change }: Account) => ({
  /** Each with the role that was written. */
  all: read(
    Effect.map(
      sql<object>`select person, role from bridge_members where channel = ${channel} and account = ${account}`,
      (rows) =>
        rows.flatMap((row) => {
          const [person, role] = [textIn(row, "person"), textIn(row, "role")]
          return person === undefined || role === undefined ? [] : [{ person, role }]
        })
    )
  ),
  add: (person: string, role: string) =>
    Effect.flatMap(Clock.currentTimeMillis, (at) =>
      change(
        Effect.asVoid(
          sql`insert into bridge_members ${sql.insert({ channel, account, person, role, at })}
            on conflict (channel, account, person) do update set role = ${role}`
        )
      )
    )
})

export const makeChats = ({ store: { sql, read }, change }: Account) => ({
  /** What was chosen for a conversation: JSON of the bridge. */
  get: (conversation: Conversation) =>
    read(
      Effect.map(
        sql<object>`select settings from bridge_chats where conversation = ${conversationText(conversation)}`,
        ([row = {}]) => textIn(row, "settings")
      )
    ),
  set: (conversation: Conversation, settings: string) =>
    Effect.flatMap(Clock.currentTimeMillis, (at) =>
      change(
        Effect.asVoid(
          sql`insert into bridge_chats ${sql.insert({ conversation: conversationText(conversation), settings, at })}
            on conflict (conversation) do update set settings = ${settings}, at = ${at}`
        )
      )
    )
})
