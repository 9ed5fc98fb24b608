/** Data of the other pages of a group: read from their rows, which they alone write. */
import { Effect } from "effect"
import { countIn, textIn } from "../../../conversations/store/columns.ts"
import type { OpenStore } from "../../../conversations/store/OpenStore.ts"
import { fileRow } from "../files.ts"
import { type ConversationRow, conversationRow, longestList } from "../rows/conversationTable.ts"

export const makePeerTable = ({ sql, read }: OpenStore, account: string, group: string) => {
  const prefix = `${group}.`
  const peers = sql`account <> ${account}
    and (account = ${group} or substr(account, 1, ${prefix.length}) = ${prefix})`
  const nameOf = (peer: string) => (peer.startsWith(prefix) ? peer.slice(prefix.length) : peer)

  return {
    nameOf,

    /** Conversations of a person, the newest first. */
    list: (person: string) =>
      read(
        Effect.map(
          sql<object>`select * from web_conversations where person = ${person} and ${peers}
            order by archived, at desc limit ${longestList}`,
          (rows) =>
            rows.flatMap((row) =>
              conversationRow(row).map(
                (found): ConversationRow => ({ ...found, page: nameOf(textIn(row, "account") ?? "") })
              )
            )
        )
      ),

    /** The page that has a conversation; undefined: none of the others. */
    accountOf: (chat: string) =>
      read(
        Effect.map(
          sql<object>`select account from web_conversations where chat = ${chat} and ${peers} limit 1`,
          ([row]) => row && textIn(row, "account")
        )
      ),

    /** A file of a person, and the page that keeps it. */
    file: (person: string, id: string) =>
      read(
        Effect.map(
          sql<object>`select * from web_files where id = ${id} and person = ${person} and ${peers} limit 1`,
          (rows) =>
            rows.flatMap((row) => fileRow(row).map((file) => ({ file, account: textIn(row, "account") ?? "" })))[0]
        )
      ),

    /** The number of the newest row of each of some conversations of one page: each is one step in an index, however long. */
    newest: (peer: string, chats: ReadonlyArray<string>) =>
      read(
        Effect.map(
          sql<object>`select chat, (
              select max(seq) from web_rows where account = ${peer} and web_rows.chat = web_conversations.chat
            ) as seq from web_conversations where account = ${peer} and ${sql.in("chat", chats)}`,
          (rows) => rows.map((row) => [textIn(row, "chat") ?? "", countIn(row, "seq") ?? 0] as const)
        )
      )
  }
}

export type PeerTable = ReturnType<typeof makePeerTable>
