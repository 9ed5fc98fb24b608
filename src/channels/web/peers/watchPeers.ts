/** Wakes readers of other pages' data: their rows and lists are polled while they are read. */
import { Effect, type Scope } from "effect"
import type { StoreError } from "../../../contract/StoreError.ts"
import type { Hub } from "../rows/hub.ts"
import type { PeerTable } from "./peerTable.ts"

const rowsMs = 300
const listsMs = 1_500
/** A store that fails is left alone for a while. */
const retryMs = 5_000

export interface WatchPeersOptions {
  readonly account: string
  readonly peers: Pick<PeerTable, "newest" | "list">
  readonly hub: Hub
}

/** Until the scope closes. */
export const watchPeers = Effect.fnUntraced(function* ({
  account,
  peers,
  hub
}: WatchPeersOptions): Effect.fn.Return<void, never, Scope.Scope> {
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

  // Apart: rows do not wait for the lists of many.
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
