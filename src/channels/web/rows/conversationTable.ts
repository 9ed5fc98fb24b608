/** The conversations of people, as their list shows them. */
import { Context, Effect, Layer } from "effect"
import { conversationText } from "../../../bridge/messages/Conversation.ts"
import { present } from "../../../contract/present.ts"
import { countIn, textIn, wordIn } from "../../../conversations/store/columns.ts"
import type { OpenStore } from "../../../conversations/store/OpenStore.ts"
import { Store } from "../../../conversations/store/Store.ts"
import { channelId } from "../ids.ts"
import { Page } from "../page.ts"
import { statements } from "./statements.ts"

const conversationStates = ["running", "asking", "failed", "interrupted", "done"] as const
export type ConversationState = (typeof conversationStates)[number]

export interface ConversationRow {
  readonly id: string
  readonly title: string
  readonly state: ConversationState
  readonly at: number
  readonly archived?: true
  readonly agent?: string
  readonly model?: string
  readonly mode?: string
  readonly directory?: string
  /** The page that has it, by the end of its account id; absent for this page. */
  readonly page?: string
}

/** Settings of a conversation, or of the start of a turn. */
export type ChosenColumns = Pick<ConversationRow, "agent" | "model" | "mode" | "directory">

/** `<person>/<id>`; ids have no slash. */
export const chatOf = (person: string, id: string): string => `${person}/${id}`
export const personOf = (chat: string): string => chat.slice(0, Math.max(0, chat.lastIndexOf("/")))
export const idOf = (chat: string): string => chat.slice(chat.lastIndexOf("/") + 1)

export const conversationRow = (row: object): ReadonlyArray<ConversationRow> => {
  const [chat, title, at] = [textIn(row, "chat"), textIn(row, "title"), countIn(row, "at")]
  const state = wordIn(row, "state", conversationStates)
  if (chat === undefined || title === undefined || at === undefined || state === undefined) return []
  const chosen = { agent: textIn(row, "agent"), model: textIn(row, "model"), mode: textIn(row, "mode") }
  const archived = countIn(row, "archived") === 1 ? { archived: true as const } : {}
  return [
    { id: idOf(chat), title, state, at, ...archived, ...present({ ...chosen, directory: textIn(row, "directory") }) }
  ]
}

/** Conversations in a transaction. */
const atOnce = 100

/** The remains of a row whose number must stay. */
const trace = { chat: "", kind: "trace", row_key: null, turn: null, body: "", heard: null }

export const longestList = 1_000

export const makeConversationTable = ({ sql, transact, read }: OpenStore, account: string) => {
  const { select, execute } = statements({ transact, read })
  const mine = sql`account = ${account}`
  return {
    /** The newest first. */
    list: (person: string) =>
      select(
        sql<object>`select * from web_conversations where ${mine} and person = ${person}
          order by archived, at desc limit ${longestList}`,
        (rows) => rows.flatMap(conversationRow)
      ),

    get: (chat: string) =>
      select(
        sql<object>`select * from web_conversations where ${mine} and chat = ${chat}`,
        (rows) => rows.flatMap(conversationRow)[0]
      ),

    /** Records a message; the first one gives the title. */
    touch: (chat: string, title: string, at: number) =>
      execute(
        sql`insert into web_conversations
          ${sql.insert({ account, chat, person: personOf(chat), title, state: "done", at })}
          on conflict (account, chat) do update set at = ${at}, archived = 0`
      ),

    /** Null stands for the default of the bridge. */
    change: (
      chat: string,
      change: {
        readonly title?: string
        readonly state?: ConversationState
        readonly archived?: 0 | 1
        readonly at?: number
      } & { readonly [Name in keyof ChosenColumns]?: string | null }
    ) => execute(sql`update web_conversations set ${sql.update(change)} where ${mine} and chat = ${chat}`),

    /**
     * Removes unused conversations, with their rows and settings; returns their number. The newest row leaves its number
     * behind, so that later rows follow everything that the bridge has read.
     */
    forget: (before: number) => {
      const some = transact(
        Effect.gen(function* () {
          const old = yield* sql<object>`select chat from web_conversations where ${mine} and at < ${before}
            limit ${atOnce}`
          const [last = {}] = yield* sql<object>`select max(seq) as seq from web_rows where ${mine}`
          const newest = countIn(last, "seq") ?? 0
          for (const row of old) {
            const chat = textIn(row, "chat") ?? ""
            const chosen = conversationText({ channel: channelId, accountId: account, chatId: chat })
            yield* sql`update web_rows set ${sql.update(trace)} where ${mine} and chat = ${chat} and seq = ${newest}`
            yield* sql`delete from web_rows where ${mine} and chat = ${chat}`
            yield* sql`delete from bridge_chats where conversation = ${chosen}`
            yield* sql`delete from web_conversations where ${mine} and chat = ${chat}`
          }
          // Late messages of a removed conversation.
          yield* sql`delete from web_rows where ${mine} and at < ${before} and seq < ${newest}
            and chat not in (select chat from web_conversations where ${mine})`
          return old.length
        })
      )
      // In small transactions, between other work.
      return Effect.gen(function* () {
        let forgotten = 0
        while (true) {
          const count = yield* some
          forgotten += count
          if (count < atOnce) return forgotten
          yield* Effect.yieldNow
        }
      })
    },

    /** Removes the oldest rows of conversations that exceed the limit. */
    shorten: (most: number) =>
      transact(
        Effect.gen(function* () {
          const long = yield* sql<object>`select chat, count(*) as count from web_rows where ${mine}
            group by chat having count(*) > ${most}`
          for (const row of long) {
            const chat = textIn(row, "chat") ?? ""
            const [first = {}] = yield* sql<object>`select seq from web_rows where ${mine} and chat = ${chat}
              order by seq desc limit 1 offset ${most - 1}`
            yield* sql`delete from web_rows where ${mine} and chat = ${chat} and seq < ${countIn(first, "seq") ?? 0}`
          }
          return long.length
        })
      )
  }
}

/** The conversations of the page. */
export class ConversationTable extends Context.Service<ConversationTable, ReturnType<typeof makeConversationTable>>()(
  "reins/web/ConversationTable"
) {
  static readonly layer = Layer.effect(
    ConversationTable,
    Effect.zipWith(Store, Page, (store, { accountId }) => makeConversationTable(store, accountId))
  )
}
