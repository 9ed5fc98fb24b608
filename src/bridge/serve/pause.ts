/** Accepts no new turns, while an owner pauses, or the host ends. Messages are stored, and running turns finish. */
import { Context, Effect, Layer, Schedule } from "effect"
import { eventually } from "../../contract/Input.ts"
import { countIn } from "../../conversations/store/columns.ts"
import type { OpenStore } from "../../conversations/store/OpenStore.ts"
import { texts } from "../texts.ts"
import type { Core } from "../turn/core.ts"
import { Account, Bridge } from "./account.ts"
import { ConversationQueues } from "./conversationQueues.ts"

export class Pause extends Context.Service<
  Pause,
  {
    /** The number of the present pause; undefined while turns are accepted. */
    readonly current: () => number | undefined
    /** Begins or ends a pause; returns the reply. */
    readonly toggle: Effect.Effect<string>
    /** The reply, and an effect to run in the background. */
    readonly restart: () => { readonly reply: string; readonly work: Effect.Effect<void> }
    /** The reply while no turns are accepted, sent once per `id` and chat; undefined if they are. */
    readonly notice: () => { readonly id: string; readonly text: string } | undefined
  }
>()("reins/bridge/Pause") {
  static readonly layer = Layer.effect(
    Pause,
    Effect.suspend(() => makePause)
  )
}

/** Wakes all conversations with open messages. */
export const wakeAll = Effect.gen(function* () {
  const { journal } = yield* Account
  const { wake } = yield* ConversationQueues
  const open = new Set((yield* journal.inbox.open).map(({ conversation }) => conversation))
  yield* Effect.forEach(open, wake, { discard: true })
})

/** Longest wait for running turns before a restart. */
const longestDrain = "2 minutes"

const makePause = Effect.gen(function* () {
  const { core, options, isDraining, paused } = yield* Bridge
  const { channel } = yield* Account
  const context = yield* Effect.context<Account | ConversationQueues>()
  const { onRestart } = options
  let [pauses, isPaused] = [0, false]
  const begin = () => {
    if (!isPaused) pauses += 1
    isPaused = true
    paused.add(channel)
  }
  yield* Effect.addFinalizer(() => Effect.sync(() => void paused.delete(channel)))
  const current = () => (isPaused || (channel.unattended === true && paused.size > 0) ? pauses : undefined)
  const end = Effect.suspend(() => {
    isPaused = false
    paused.delete(channel)
    return Effect.ignore(Effect.provide(wakeAll, context))
  })
  return Pause.of({
    current,
    notice: () => {
      if (isDraining()) return { id: "end", text: texts.waitsForStart }
      return current() === undefined ? undefined : { id: String(pauses), text: texts.waitsForPause }
    },
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
  })
})

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
