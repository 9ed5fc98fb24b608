/**
 * Texts that nobody needs any more are blanked; their rows stay for a while, so that nothing is taken in or sent again,
 * and then go: no channel gives a message anew after so long.
 */
import { Clock, Effect } from "effect"
import type { Account } from "./account.ts"

/** Behind the blanking. */
const rowsMs = 90 * 24 * 60 * 60_000

/** Of what is older than the store keeps turns, and is at its end, or was waited for in vain. */
export const blankOld = ({ channel, accountId: account, store: { sql, keep }, change }: Account) =>
  Effect.gen(function* () {
    const before = Math.floor((yield* Clock.currentTimeMillis) - keep.turnsMs)
    if (!Number.isFinite(before)) return
    const own = sql`channel = ${channel} and account = ${account}`
    const mine = sql`${own} and at < ${before}`
    const old = sql`at < ${before - rowsMs}`
    yield* change(
      Effect.gen(function* () {
        yield* sql`update inbox set message = null where ${mine} and state in ('done', 'dropped') and message is not null`
        // Nobody has written where it was held.
        yield* sql`update outbox set state = 'failed', reason = 'it was held for too long' where ${mine} and state = 'held'`
        yield* sql`update outbox set piece = null where ${mine} and state in ('sent', 'failed', 'unknown')
          and piece is not null`
        yield* sql`update bridge_requests set state = 'over', answer = 'nobody answered' where ${mine} and state = 'open'`
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
