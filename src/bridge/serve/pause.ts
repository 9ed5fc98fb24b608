/** Accepts no new turns, while an owner pauses, or the host ends. Messages are stored, and running turns finish. */
import { Effect, Schedule } from "effect"
import { type Eventually, eventually } from "../../contract/Input.ts"
import { countIn } from "../../conversations/store/columns.ts"
import type { OpenStore } from "../../conversations/store/OpenStore.ts"
import { texts } from "../texts.ts"
import type { Core } from "../turn/core.ts"

interface PauseOptions {
  readonly core: Pick<Core, "busy">
  /** Restarts the host; undefined if that is not possible. */
  readonly onRestart: (() => Eventually<void>) | undefined
  readonly wakeAll: Effect.Effect<void>
}

export interface Pause {
  /** The number of the present pause, from 1 on; undefined while turns are accepted. */
  readonly current: () => number | undefined
  /** Begins or ends a pause; returns the reply. */
  readonly toggle: Effect.Effect<string>
  /** The reply, and an effect to run in the background. */
  readonly restart: () => { readonly reply: string; readonly work: Effect.Effect<void> }
}

/** Longest wait for running turns before a restart. */
const longestDrain = "2 minutes"

export const makePause = ({ core, onRestart, wakeAll }: PauseOptions): Pause => {
  let [pauses, isPaused] = [0, false]
  const begin = () => {
    if (!isPaused) pauses += 1
    isPaused = true
  }
  const end = Effect.suspend(() => {
    isPaused = false
    return wakeAll
  })
  return {
    current: () => (isPaused ? pauses : undefined),
    toggle: Effect.suspend(() => {
      if (isPaused) return Effect.as(end, texts.goesOn)
      begin()
      return Effect.succeed(texts.paused)
    }),
    restart: () => {
      if (onRestart === undefined) return { reply: texts.notHere, work: Effect.void }
      begin()
      const idle = Effect.repeat(Effect.sync(core.busy), {
        schedule: Schedule.spaced("200 millis"),
        until: (busy) => busy === 0
      })
      const work = Effect.timeoutOption(idle, longestDrain).pipe(
        Effect.andThen(eventually(onRestart)),
        Effect.catchCause((cause) => Effect.logWarning("the host could not be restarted", cause)),
        Effect.andThen(end)
      )
      return { reply: texts.restarting, work }
    }
  }
}

type Served = readonly [channel: string, accountId: string]

const poll = Schedule.spaced("100 millis")

/** Longest wait for the outbox. Messages to an unreachable channel are sent later: they are in the store. */
const longestDelivery = "10 seconds"

/** Number of an account's rows in these states. */
const countOf = (
  { sql, read }: OpenStore,
  [channel, account]: Served,
  table: "inbox" | "outbox",
  states: ReadonlyArray<string>
) =>
  read(
    Effect.map(
      sql<object>`select count(*) as count from ${sql(table)} where channel = ${channel} and account = ${account}
        and ${sql.in("state", states)}`,
      ([row = {}]) => countIn(row, "count") ?? 0
    )
  )

const sumOf = <E>(counts: ReadonlyArray<Effect.Effect<number, E>>) =>
  Effect.map(Effect.all(counts), (all) => all.reduce((sum, count) => sum + count, 0)).pipe(
    // A store that fails has nothing more to give.
    Effect.orElseSucceed(() => 0)
  )

const untilNone = (count: Effect.Effect<number>) =>
  Effect.repeat(count, { schedule: poll, until: (open) => open === 0 })

/** Completes when agents have finished and their answers were sent. */
export const untilDrained = (
  store: OpenStore,
  { busy }: Pick<Core, "busy">,
  served: ReadonlyArray<Served>
): Effect.Effect<void> => {
  const taken = sumOf(served.map((each) => countOf(store, each, "inbox", ["taken"])))
  const working = Effect.map(taken, (open) => Math.max(open, busy()))
  const undelivered = sumOf(served.map((each) => countOf(store, each, "outbox", ["ready", "sending"])))
  return untilNone(working).pipe(
    Effect.andThen(Effect.timeoutOption(untilNone(undelivered), longestDelivery)),
    Effect.asVoid
  )
}
