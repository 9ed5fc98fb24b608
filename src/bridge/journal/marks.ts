/** Small facts of an account: marks by name, people who were paired, settings of chats. */
import { Clock, Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { textIn } from "../../conversations/store/columns.ts"
import { type Conversation, conversationText } from "../messages/Conversation.ts"
import type { Account } from "./account.ts"

/** A part of a transaction. */
export const writeMark = (sql: SqlClient.SqlClient, channel: string, account: string, name: string, value: string) =>
  sql`insert into bridge_marks ${sql.insert({ channel, account, name, value })}
    on conflict (channel, account, name) do update set value = ${value}`

export const makeMarks = ({ channel, accountId: account, store: { sql }, mine, find, change }: Account) => ({
  get: (name: string) =>
    find(sql<object>`select value from bridge_marks where ${mine} and name = ${name}`, ([row = {}]) =>
      textIn(row, "value")
    ),
  /** Names that begin with a prefix, with their values. */
  all: (prefix: string) =>
    find(sql<object>`select name, value from bridge_marks where ${mine}`, (rows) =>
      rows.flatMap((row) => {
        const [name, value] = [textIn(row, "name"), textIn(row, "value")]
        return name?.startsWith(prefix) === true && value !== undefined ? [{ name, value }] : []
      })
    ),
  /** Undefined removes the mark. */
  set: (name: string, value: string | undefined) =>
    change(
      value === undefined
        ? Effect.asVoid(sql`delete from bridge_marks where ${mine} and name = ${name}`)
        : Effect.asVoid(writeMark(sql, channel, account, name, value))
    )
})

export const makeMembers = ({ channel, accountId: account, store: { sql }, mine, find, change }: Account) => ({
  /** Each person with the role that was written. */
  all: find(sql<object>`select person, role from bridge_members where ${mine}`, (rows) =>
    rows.flatMap((row) => {
      const [person, role] = [textIn(row, "person"), textIn(row, "role")]
      return person === undefined || role === undefined ? [] : [{ person, role }]
    })
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

export const makeChats = ({ store: { sql }, find, change }: Account) => ({
  /** Settings of a conversation, as JSON. */
  get: (conversation: Conversation) =>
    find(
      sql<object>`select settings from bridge_chats where conversation = ${conversationText(conversation)}`,
      ([row = {}]) => textIn(row, "settings")
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
