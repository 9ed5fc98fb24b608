/** Runs schedules, checked each minute. Missed runs of a cron expression are not made up; a single run may be late. */
import { Clock, Effect, Result } from "effect"
import type { StoreError } from "../../contract/StoreError.ts"
import { untraced } from "../../contract/untraced.ts"
import type { ChangeError } from "../journal/account.ts"
import type { AccountJournal } from "../journal/Journal.ts"
import type { ScheduleRow } from "../journal/schedules.ts"
import type { Conversation } from "../messages/Conversation.ts"
import type { ChannelLost } from "../ServeError.ts"
import { cronOf, leastGapMs, minuteMs, runsIn } from "./cronTimes.ts"
import type { GatewayRole } from "./GatewayOptions.ts"

export interface RunSchedulesOptions {
  readonly journal: Pick<AccountJournal["schedules"], "list" | "fire" | "remove">
  readonly roleOf: (person: string, conversation: Conversation) => Effect.Effect<GatewayRole | undefined>
  /** Stores the prompt in the transaction that marks the schedule as run; may be run again. The key is of one run. */
  readonly fire: (schedule: ScheduleRow, key: string) => Effect.Effect<unknown, ChangeError>
  readonly onFired: (conversation: Conversation) => Effect.Effect<void>
  /** Zone of schedules without one, such as `Europe/Berlin`. */
  readonly zone: string
}

/** The minute or time that it runs for; undefined if it is not due. */
const dueAt = ({ cron, runAt, zone, lastRun }: ScheduleRow, fallback: string, now: number): number | undefined => {
  if (cron === undefined) return runAt !== undefined && runAt <= now ? runAt : undefined
  const minute = Math.floor(now / minuteMs) * minuteMs
  // Checked even if its expression is of another version, or the clock was changed.
  if (lastRun !== undefined && minute - lastRun < leastGapMs) return undefined
  const read = cronOf(cron, zone ?? fallback)
  return Result.isSuccess(read) && runsIn(read.success, minute) ? minute : undefined
}

/** Runs the schedules of one minute. */
const runDue = Effect.fn(...untraced("RunSchedules.runDue"))(function* (options: RunSchedulesOptions) {
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

/** Ends when another server takes the account. A run that the store refuses is tried again in the next minute. */
export const runSchedules = (options: RunSchedulesOptions): Effect.Effect<never, ChannelLost> =>
  runDue(options).pipe(
    Effect.catchTag("StoreError", problem),
    Effect.andThen(Clock.currentTimeMillis),
    Effect.flatMap((now) => Effect.sleep(minuteMs - (now % minuteMs))),
    Effect.forever
  )
