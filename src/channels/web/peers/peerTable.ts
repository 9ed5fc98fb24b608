/** Data of the other pages of a group, read from their rows, and polled while it is shown. */
import { Effect, type Scope } from "effect"
import type { StoreError } from "../../../contract/StoreError.ts"
import { untraced } from "../../../contract/untraced.ts"
import { countIn, textIn } from "../../../conversations/store/columns.ts"
import type { OpenStore } from "../../../conversations/store/OpenStore.ts"
import { fileRow } from "../files.ts"
import { type ConversationRow, conversationRow, longestList } from "../rows/conversationTable.ts"
import type { Hub } from "../rows/hub.ts"
import { statements } from "../rows/statements.ts"

export const makePeerTable = (store: OpenStore, account: string, group: string) => {
  const { sql } = store
  const { select } = statements(store)
  const prefix = `${group}.`
  const peers = sql`account <> ${account}
    and (account = ${group} or substr(account, 1, ${prefix.length}) = ${prefix})`
  const nameOf = (peer: string) => (peer.startsWith(prefix) ? peer.slice(prefix.length) : peer)

  return {
    nameOf,

    /** Conversations of a person, the newest first. */
    list: (person: string) =>
      select(
        sql<object>`select * from web_conversations where person = ${person} and ${peers}
          order by archived, at desc limit ${longestList}`,
        (rows) =>
          rows.flatMap((row) => {
            const page = nameOf(textIn(row, "account") ?? "")
            return conversationRow(row).map((found): ConversationRow => ({ ...found, page }))
          })
      ),

    /** The page that has a conversation; undefined if it is not one of the others. */
    accountOf: (chat: string) =>
      select(
        sql<object>`select account from web_conversations where chat = ${chat} and ${peers} limit 1`,
        ([row]) => row && textIn(row, "account")
      ),

    /** A file of a person, and the page that keeps it. */
    file: (person: string, id: string) =>
      select(
        sql<object>`select * from web_files where id = ${id} and person = ${person} and ${peers} limit 1`,
        (rows) =>
          rows.flatMap((row) => fileRow(row).map((file) => ({ file, account: textIn(row, "account") ?? "" })))[0]
      ),

    /** Numbers of the newest rows of conversations of one page: one step in an index for each. */
    newest: (peer: string, chats: ReadonlyArray<string>) =>
      select(
        sql<object>`select chat, (
            select max(seq) from web_rows where account = ${peer} and web_rows.chat = web_conversations.chat
          ) as seq from web_conversations where account = ${peer} and ${sql.in("chat", chats)}`,
        (rows) => rows.map((row) => [textIn(row, "chat") ?? "", countIn(row, "seq") ?? 0] as const)
      )
  }
}

export type PeerTable = ReturnType<typeof makePeerTable>

const rowsMs = 300
const listsMs = 1_500
/** Pause after a failure of the store. */
const retryMs = 5_000

export interface WatchPeersOptions {
  readonly account: string
  readonly peers: Pick<PeerTable, "newest" | "list">
  readonly hub: Hub["Service"]
}

/** Polls other pages' rows and lists while they are read, and wakes their readers, until the scope closes. */
export const watchPeers = Effect.fn(...untraced("PeerTable.watchPeers"))(function* (
  options: WatchPeersOptions
): Effect.fn.Return<void, never, Scope.Scope> {
  const { account, peers, hub } = options
  let rows: ReadonlyMap<string, number> = new Map()
  let lists: ReadonlyMap<string, string> = new Map()

  const lookAtRows = Effect.gen(function* () {
    const known = rows
    const next = new Map<string, number>()
    for (const [peer, chats] of hub.chatsOfOthers(account))
      for (const [chat, newest] of yield* peers.newest(peer, chats)) next.set(chat, newest)
    rows = next
    hub.rows(new Set([...next].filter(([chat, newest]) => known.get(chat) !== newest).map(([chat]) => chat)))
  })

  const lookAtLists = Effect.gen(function* () {
    const known = lists
    const next = new Map<string, string>()
    for (const person of hub.persons()) next.set(person, JSON.stringify(yield* peers.list(person)))
    lists = next
    for (const [person, list] of next) if (known.get(person) !== list) hub.state(person)
  })

  // Separate, so that rows do not wait for many lists.
  const every = (ms: number, look: Effect.Effect<void, StoreError>) =>
    look.pipe(
      Effect.as(ms),
      Effect.catch((error) =>
        Effect.as(Effect.logWarning(`what other pages show cannot be read: ${error.message}`), retryMs)
      ),
      Effect.catchDefect((defect) => Effect.as(Effect.logError("what other pages show is not read", defect), retryMs)),
      Effect.flatMap(Effect.sleep),
      Effect.forever,
      Effect.forkScoped
    )
  yield* every(rowsMs, lookAtRows)
  yield* every(listsMs, lookAtLists)
})
