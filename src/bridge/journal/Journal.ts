/** Data that the bridge must not lose, in the store, for an account of a channel that one server at a time owns. */
import { Clock, Context, Effect, Layer, type Scope } from "effect"
import type { StoreError } from "../../contract/StoreError.ts"
import { Store } from "../../conversations/store/Store.ts"
import type { ChannelTaken } from "../ServeError.ts"
import { type Account, takeAccount } from "./account.ts"
import { makeInbox } from "./inbox.ts"
import { makeChats, makeMarks, makeMembers } from "./marks.ts"
import { makeOutbox } from "./outbox.ts"
import { makeRequests } from "./requests.ts"
import { makeSchedules } from "./schedules.ts"
import { makeSends } from "./sends.ts"

/** Finished rows are deleted so long after they were blanked. */
const rowsMs = 90 * 24 * 60 * 60_000

/** Blanks finished rows that are older than the store keeps turns, and ends those that waited in vain. */
const blankOld = Effect.fnUntraced(function* ({ store: { sql, keep }, mine: own, change }: Account) {
  const before = Math.floor((yield* Clock.currentTimeMillis) - keep.turnsMs)
  if (!Number.isFinite(before)) return
  const mine = sql`${own} and at < ${before}`
  const old = sql`at < ${before - rowsMs}`
  yield* change(
    Effect.gen(function* () {
      yield* sql`update inbox set message = null where ${mine} and state in ('done', 'dropped') and message is not null`
      // No message arrived where it was held.
      yield* sql`update outbox set state = 'failed', reason = 'it was held for too long' where ${mine} and state = 'held'`
      yield* sql`update outbox set piece = null where ${mine} and state in ('sent', 'failed', 'unknown')
        and piece is not null`
      yield* sql`update bridge_requests set state = 'over', answer = 'no answer' where ${mine} and state = 'open'`
      yield* sql`update bridge_requests set request = null where ${mine} and request is not null`
      yield* sql`update bridge_schedules set prompt = '' where ${mine} and state in ('done', 'removed') and prompt <> ''`
      yield* sql`update gateway_sends set text = null where at < ${before} and text is not null`
    })
  )
  yield* change(
    Effect.gen(function* () {
      yield* sql`delete from inbox where ${own} and ${old} and state in ('done', 'dropped')`
      yield* sql`delete from outbox where ${own} and ${old} and state in ('sent', 'failed', 'unknown')`
      yield* sql`delete from bridge_requests where ${own} and ${old} and state <> 'open'`
      yield* sql`delete from bridge_schedules where ${own} and ${old} and state in ('done', 'removed')`
      yield* sql`delete from gateway_sends where ${old}`
    })
  )
})

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
