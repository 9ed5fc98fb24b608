/**
 * What the bridge must not lose: messages of people, pieces on their way, requests, schedules, marks. In the store, behind
 * the account of a channel that one server at a time has.
 */
import { Context, Effect, Layer, type Scope } from "effect"
import type { StoreError } from "../../contract/StoreError.ts"
import { Store } from "../../conversations/store/Store.ts"
import { type Account, takeAccount } from "./account.ts"
import { makeInbox } from "./inbox.ts"
import type { ChannelTaken } from "./JournalError.ts"
import { makeMarks } from "./marks.ts"
import { makeChats, makeMembers } from "./members.ts"
import { makeOutbox } from "./outbox.ts"
import { makeRequests } from "./requests.ts"
import { blankOld } from "./retention.ts"
import { makeSchedules } from "./schedules.ts"
import { makeSends } from "./sends.ts"

const journalOf = (account: Account) => ({
  channel: account.channel,
  accountId: account.accountId,
  /** Fails once the account is known to be another's. */
  lost: account.lost,
  inbox: makeInbox(account),
  outbox: makeOutbox(account),
  sends: makeSends(account),
  requests: makeRequests(account),
  schedules: makeSchedules(account),
  marks: makeMarks(account),
  members: makeMembers(account),
  chats: makeChats(account),
  blankOld: blankOld(account)
})

/** The journal of one account. Every change fails with `ChannelLost` once another server has taken it over. */
export type AccountJournal = ReturnType<typeof journalOf>

/** The journal of a store. */
export class Journal extends Context.Service<
  Journal,
  {
    /** Takes an account of a channel until the scope closes. Fails with `ChannelTaken` while another server has it. */
    readonly own: (
      channel: string,
      accountId: string
    ) => Effect.Effect<AccountJournal, StoreError | ChannelTaken, Scope.Scope>
  }
>()("reins/Journal") {
  /** In the store of the context. */
  static readonly layer: Layer.Layer<Journal, never, Store> = Layer.effect(
    Journal,
    Effect.map(Store, (store) => ({
      own: (channel, accountId) => Effect.map(takeAccount(store, channel, accountId), journalOf)
    }))
  )
}
