/** Schedules of an agent that works for an owner. None runs before a person agrees; other chats' are not seen. */
import { Clock, Effect, Result, Schema, Semaphore } from "effect"
import { untraced } from "../../contract/untraced.ts"
import type { ScheduleRow } from "../journal/schedules.ts"
import { checkedCron, checkedTime, cronOf, isZone, timesOf } from "./cronTimes.ts"
import type { Gateway, GatewaySchedules, GatewayTurn } from "./gatewayContext.ts"
import { withinPatience } from "./sending.ts"
import { inputParser, quoted, refuse, textFrom } from "./toolInput.ts"

const most = 20
const longestPrompt = 10_000
const shownTimes = 3

export const ScheduleInput = Schema.Struct({
  prompt: Schema.String.annotate({ description: "What you are asked when it runs: it begins a turn in this chat." }),
  cron: Schema.optionalKey(
    Schema.String.annotate({ description: "minute hour day month weekday; at least 5 minutes apart. Or `at`." })
  ),
  at: Schema.optionalKey(Schema.String.annotate({ description: "To run once: an ISO 8601 time. Or `cron`." })),
  zone: Schema.optionalKey(Schema.String.annotate({ description: "A time zone such as Europe/Berlin." })),
  budgetUsd: Schema.optionalKey(Schema.Finite.annotate({ description: "What each run may cost, in US dollars." }))
})
export const RemoveInput = Schema.Struct({
  id: Schema.String.annotate({ description: "That of schedule_add or schedule_list." })
})
export const ListInput = Schema.Struct({})

const parseAdd = inputParser(ScheduleInput, ["prompt", "cron", "at", "zone", "budgetUsd"])
const parseRemove = inputParser(RemoveInput, ["id"])
const parseList = inputParser(ListInput, [])

const isoOf = (time: number) => new Date(time).toISOString()

/** Reports a failure of the store: nothing was read or written. */
const failed = (problem: unknown) =>
  Effect.andThen(
    Effect.logWarning("the schedules of an agent cannot be read or written", problem),
    Effect.fail(refuse("This was not done: the store of the bridge does not answer."))
  )

interface When extends Pick<ScheduleRow, "cron" | "runAt" | "zone"> {
  readonly next: ReadonlyArray<number>
}

const whenOf = ({ cron, at }: typeof ScheduleInput.Type, zone: string, now: number): Result.Result<When, string> => {
  if (cron !== undefined && at === undefined) {
    return Result.map(checkedCron(cron, zone, now), (next) => ({ cron, zone, next: next.slice(0, shownTimes) }))
  }
  if (at !== undefined && cron === undefined) {
    return Result.map(checkedTime(at, zone, now), (runAt) => ({ runAt, zone, next: [runAt] }))
  }
  return Result.fail(`give either "cron" or "at"`)
}

const nextOf = ({ cron, runAt, zone }: ScheduleRow, fallback: string, now: number): ReadonlyArray<number> => {
  if (cron === undefined) return runAt === undefined ? [] : [runAt]
  const read = cronOf(cron, zone ?? fallback)
  return Result.isSuccess(read) ? timesOf(read.success, now, 1) : []
}

export const scheduleCalls = (
  { conversation }: Gateway,
  { journal, ask, zone: ownZone, mostUsd }: GatewaySchedules
) => {
  // Two calls at once must not both be the last one.
  const one = Semaphore.makeUnsafe(1)
  const open = Effect.map(
    Effect.all([journal.list("asked", conversation), journal.list("active", conversation)]),
    (lists) => lists.flat()
  )

  const add = Effect.fn(...untraced("ScheduleTools.add"))(function* (input: unknown, turn: GatewayTurn) {
    const params = yield* parseAdd(input)
    const prompt = yield* textFrom("prompt", params.prompt, longestPrompt)
    const zone = params.zone ?? ownZone
    if (!isZone(zone)) return yield* refuse(`"zone": ${quoted(zone)} is not a time zone, such as "Europe/Berlin".`)
    const now = yield* Clock.currentTimeMillis
    const when = whenOf(params, zone, now)
    if (Result.isFailure(when)) return yield* refuse(`It was not added: ${when.failure}.`)
    const { next, ...times } = when.success
    const { budgetUsd = mostUsd } = params
    if (!(budgetUsd > 0 && budgetUsd <= mostUsd)) {
      return yield* refuse(`"budgetUsd": give more than 0 and at most ${mostUsd}.`)
    }
    const own = { id: crypto.randomUUID(), conversation, turnId: turn.id, person: turn.person, prompt, budgetUsd }
    const schedule = { ...own, ...times }
    const added = Effect.gen(function* () {
      if ((yield* open).length >= most) return false
      yield* journal.put(schedule)
      return true
    }).pipe(one.withPermit, Effect.catch(failed))
    if (!(yield* withinPatience(added))) {
      return yield* refuse(`It was not added: this chat has ${most} schedules. Remove one first.`)
    }
    yield* ask({ ...schedule, next })
    return {
      ...{ status: "asked", id: schedule.id, next: next.map(isoOf) },
      note: "A person is asked; it runs once they have agreed."
    }
  })

  const list = Effect.fn(...untraced("ScheduleTools.list"))(function* (input: unknown) {
    yield* parseList(input)
    const now = yield* Clock.currentTimeMillis
    const rows = yield* withinPatience(Effect.catch(open, failed))
    return {
      schedules: rows.map((row) => ({
        ...{ id: row.id, state: row.state, prompt: row.prompt },
        ...(row.cron === undefined ? {} : { cron: row.cron, zone: row.zone ?? ownZone }),
        ...(row.budgetUsd === undefined ? {} : { budgetUsd: row.budgetUsd }),
        next: nextOf(row, ownZone, now).map(isoOf)
      }))
    }
  })

  const remove = Effect.fn(...untraced("ScheduleTools.remove"))(function* (input: unknown) {
    const { id } = yield* parseRemove(input)
    const removed = Effect.gen(function* () {
      const isHere = (yield* open).some((row) => row.id === id)
      return isHere && (yield* journal.remove(id))
    })
    if (yield* withinPatience(Effect.catch(removed, failed))) return { status: "removed", id }
    return yield* refuse(`${quoted(id)} is not a schedule of this chat: see schedule_list.`)
  })

  return { add, list, remove }
}
