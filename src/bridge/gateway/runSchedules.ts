/**
 * Schedules at work: looked at in each minute. One with a cron expression runs in its minute and at no other time: what was
 * missed is not made up. One that runs once also runs late, after a restart.
 */
import { Clock, type Cron, Effect, Result } from "effect"
import type { StoreError } from "../../contract/StoreError.ts"
import type { ChangeError } from "../journal/account.ts"
import type { AccountJournal } from "../journal/Journal.ts"
import type { ChannelLost } from "../journal/JournalError.ts"
import type { ScheduleRow } from "../journal/schedules.ts"
import type { Conversation } from "../messages/Conversation.ts"
import { cronOf, leastGapMs, minuteMs, runsIn } from "./cronTimes.ts"
import type { GatewayRole } from "./profiles.ts"

export interface RunSchedulesOptions {
  readonly journal: Pick<AccountJournal["schedules"], "list" | "fire" | "remove">
  /** The current role of a person; undefined if they are not admitted. */
  readonly roleOf: (person: string, conversation: Conversation) => Effect.Effect<GatewayRole | undefined>
  /**
   * Takes the prompt in, in the transaction that marks the schedule as run: it does nothing but write to the journal, and
   * may be run again. The key is that of this run alone.
   */
  readonly fire: (schedule: ScheduleRow, key: string) => Effect.Effect<unknown, ChangeError>
  /** Called afterwards, with its conversation. */
  readonly onFired: (conversation: Conversation) => Effect.Effect<void>
  /** Such as `Europe/Berlin`, of those without a zone of their own. */
  readonly zone: string
}

/** The minute or time that it runs for; undefined: not now. */
const dueAt = ({ cron, runAt, zone, lastRun }: ScheduleRow, fallback: string, now: number): number | undefined => {
  if (cron === undefined) return runAt !== undefined && runAt <= now ? runAt : undefined
  const minute = Math.floor(now / minuteMs) * minuteMs
  // Also where its expression is of another version, or its clock was changed.
  if (lastRun !== undefined && minute - lastRun < leastGapMs) return undefined
  const isDue = Result.match(cronOf(cron, zone ?? fallback), {
    onSuccess: (read: Cron.Cron) => runsIn(read, minute),
    onFailure: () => false
  })
  return isDue ? minute : undefined
}

/** Runs the schedules of one minute. */
const runDue = Effect.fnUntraced(function* (options: RunSchedulesOptions) {
  const { journal, roleOf, fire, onFired, zone } = options
  const now = yield* Clock.currentTimeMillis
  const due = (yield* journal.list("active")).flatMap((schedule) => {
    const at = dueAt(schedule, zone, now)
    return at === undefined ? [] : [{ schedule, at }]
  })
  yield* Effect.forEach(
    due,
    Effect.fnUntraced(function* ({ schedule, at }): Effect.fn.Return<void, ChangeError> {
      if ((yield* roleOf(schedule.person, schedule.conversation)) !== "owner") {
        yield* Effect.logWarning(`the schedule ${schedule.id} was removed: its person is no longer an owner`)
        yield* journal.remove(schedule.id)
        return
      }
      if (yield* journal.fire(schedule, now, fire(schedule, `schedule/${schedule.id}/${at}`))) {
        yield* onFired(schedule.conversation)
      }
    }),
    { discard: true }
  )
})

const problem = (cause: StoreError) => Effect.logWarning("the schedules of this minute did not run", cause)

/** Until the account is another server's. What the store refuses in one minute is tried again in the next. */
export const runSchedules = (options: RunSchedulesOptions): Effect.Effect<never, ChannelLost> =>
  runDue(options).pipe(
    Effect.catchTag("StoreError", problem),
    Effect.andThen(Clock.currentTimeMillis),
    Effect.flatMap((now) => Effect.sleep(minuteMs - (now % minuteMs))),
    Effect.forever
  )
