/** Finds conversations and files of a person, at this page or at another one of its group. */
import { Context, Effect, Layer } from "effect"
import type { StoreError } from "../../contract/StoreError.ts"
import { untraced } from "../../contract/untraced.ts"
import { Store } from "../../conversations/store/Store.ts"
import { Files, type KeptFile } from "./files.ts"
import { isId } from "./ids.ts"
import { Page } from "./page.ts"
import { answerPeers } from "./peers/answerPeers.ts"
import { makePeerPage, type PeerPage } from "./peers/askPeer.ts"
import { makePeerTable, watchPeers } from "./peers/peerTable.ts"
import { makeRequestTable } from "./peers/request.ts"
import { type Failing, type Failure, problems } from "./problem.ts"
import {
  type ConversationRow,
  ConversationTable,
  chatOf,
  longestList,
  makeConversationTable
} from "./rows/conversationTable.ts"
import { Hub } from "./rows/hub.ts"
import { makeRowTable, RowTable } from "./rows/rowTable.ts"
import { type Acts, UserActions } from "./userActions.ts"
import type { WebPerson } from "./WebChatOptions.ts"

/** A conversation, with everything to read it and to act in it. */
export interface Target {
  readonly account: string
  readonly chat: string
  readonly acts: Acts
  readonly table: Pick<RowTable["Service"], "after" | "before" | "beforeNewest" | "ends">
  readonly conversations: Pick<ConversationTable["Service"], "get">
}

interface ReachedFile {
  readonly file: KeptFile
  readonly body: ReadableStream<Uint8Array>
}

export class Routing extends Context.Service<
  Routing,
  {
    /** Fails if it does not exist. */
    readonly conversation: (person: WebPerson, id: string | null) => Effect.Effect<Target, Failure>
    /** The actions of a conversation, which begins here if it does not exist. */
    readonly acts: (person: WebPerson, id: string) => Effect.Effect<Acts, Failure>
    /** The newest first. */
    readonly list: (person: string) => Effect.Effect<ReadonlyArray<ConversationRow>, StoreError>
    readonly file: (person: WebPerson, id: string) => Effect.Effect<ReachedFile, Failure>
  }
>()("reins/web/Routing") {
  static readonly layer = Layer.effect(
    Routing,
    Effect.suspend(() => makeRouting)
  )
}

const makePeers = Effect.fn(...untraced("Routing.makePeers"))(function* (group: string) {
  const [store, files, actions, hub] = [yield* Store, yield* Files, yield* UserActions, yield* Hub]
  const { accountId: account, uploadBytes } = yield* Page
  const peers = makePeerTable(store, account, group)
  const requests = makeRequestTable(store)
  const scope = yield* Effect.scope
  yield* answerPeers({ store, account, requests, actions, files, uploadBytes })
  yield* watchPeers({ account, peers, hub })
  const pages = new Map<string, PeerPage>()
  const pageOf = (peer: string) => {
    const page =
      pages.get(peer) ?? makePeerPage({ store, requests, files, scope }, { account: peer, name: peers.nameOf(peer) })
    pages.set(peer, page)
    return page
  }
  return {
    conversation: Effect.fn(...untraced("Routing.conversation"))(function* (person: WebPerson, id: string) {
      const chat = chatOf(person.id, id)
      const peer = yield* peers.accountOf(chat)
      if (peer === undefined) return undefined
      const [table, conversations] = [makeRowTable(store, peer), makeConversationTable(store, peer)]
      return { account: peer, chat, acts: pageOf(peer).acts, table, conversations } satisfies Target
    }),
    list: peers.list,
    file: Effect.fn(...untraced("Routing.file"))(function* (person: WebPerson, id: string): Failing<ReachedFile> {
      const found = isId(id) ? yield* peers.file(person.id, id) : undefined
      if (found === undefined) return yield* problems.noFile
      return { file: found.file, body: yield* pageOf(found.account).read(person, id) }
    })
  }
})

const newestFirst = (list: ReadonlyArray<ConversationRow>) =>
  list
    .toSorted((a, b) => Number(a.archived ?? false) - Number(b.archived ?? false) || b.at - a.at)
    .slice(0, longestList)

const makeRouting = Effect.gen(function* () {
  const { accountId: account, options } = yield* Page
  const [actions, files] = [yield* UserActions, yield* Files]
  const [table, conversations] = [yield* RowTable, yield* ConversationTable]
  const peers = options.group === undefined ? undefined : yield* makePeers(options.group)

  const here = (person: WebPerson, id: string) =>
    Effect.map(actions.own(person, id), (chat): Target => ({ account, chat, acts: actions, table, conversations }))

  const find = Effect.fn(...untraced("Routing.find"))(function* (
    person: WebPerson,
    id: string
  ): Failing<Target | undefined> {
    const own = yield* Effect.catchTag(here(person, id), "Problem", () => Effect.succeed(undefined))
    return own ?? (peers && (yield* peers.conversation(person, id)))
  })

  return Routing.of({
    conversation: Effect.fn(...untraced("Routing.conversation"))(function* (person, id) {
      const found = id !== null && isId(id) ? yield* find(person, id) : undefined
      return found ?? (yield* problems.noConversation)
    }),
    acts: (person, id) =>
      peers === undefined ? Effect.succeed(actions) : Effect.map(find(person, id), (found) => found?.acts ?? actions),
    list: Effect.fn(...untraced("Routing.list"))(function* (person) {
      const own = yield* conversations.list(person)
      return peers === undefined ? own : newestFirst([...own, ...(yield* peers.list(person))])
    }),
    file: Effect.fn(...untraced("Routing.file"))(function* (person, id) {
      const file = yield* files.find(person.id, id)
      if (file === undefined && peers !== undefined) return yield* peers.file(person, id)
      const body = file && (yield* files.read(file.fileId))
      return file === undefined || body === undefined ? yield* problems.noFile : { file, body }
    })
  })
})
