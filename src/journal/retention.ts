/** Texts that nobody needs any more are blanked; the rows stay, so that nothing is taken in or sent again. */
import { Clock, Effect } from "effect"
import type { Account } from "./account.ts"

/** Of what is older than the store keeps turns, and is at its end, or was waited for in vain. */
export const blankOld = ({ channel, accountId: account, store: { sql, keep }, change }: Account) =>
  Effect.gen(function* () {
    const before = (yield* Clock.currentTimeMillis) - keep.turnsMs
    if (!Number.isFinite(before)) return
    const mine = sql`channel = ${channel} and account = ${account} and at < ${Math.floor(before)}`
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
        yield* sql`update gateway_sends set text = null where at < ${Math.floor(before)} and text is not null`
      })
    )
  })
