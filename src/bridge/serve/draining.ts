/** The end of a host without loss of work: its agents finish what they do, and what they said goes out. */
import { Effect, Schedule } from "effect"
import { countIn } from "../../conversations/store/columns.ts"
import type { OpenStore } from "../../conversations/store/OpenStore.ts"
import type { Core } from "../turn/core.ts"

/** A channel and its account. */
type Served = readonly [channel: string, accountId: string]

const look = Schedule.spaced("100 millis")

/** A channel that cannot be reached has what was said later, too: it is in the store. */
const patience = "10 seconds"

/** Messages whose turn is under way. */
const taken = ({ sql, read }: OpenStore, [channel, account]: Served) =>
  read(
    Effect.map(
      sql<object>`select count(*) as count from inbox where channel = ${channel} and account = ${account}
        and state = 'taken'`,
      ([row = {}]) => countIn(row, "count") ?? 0
    )
  )

/** Pieces that are on their way. */
const leaving = ({ sql, read }: OpenStore, [channel, account]: Served) =>
  read(
    Effect.map(
      sql<object>`select count(*) as count from outbox where channel = ${channel} and account = ${account}
        and state in ('ready', 'sending')`,
      ([row = {}]) => countIn(row, "count") ?? 0
    )
  )

const sumOf = <E>(counts: ReadonlyArray<Effect.Effect<number, E>>) =>
  Effect.map(Effect.all(counts), (all) => all.reduce((sum, count) => sum + count, 0)).pipe(
    // A store that fails has nothing more to give.
    Effect.orElseSucceed(() => 0)
  )

const untilNone = (count: Effect.Effect<number>) =>
  Effect.repeat(count, { schedule: look, until: (open) => open === 0 })

export const untilDrained = (
  store: OpenStore,
  { busy }: Pick<Core, "busy">,
  served: ReadonlyArray<Served>
): Effect.Effect<void> => {
  const working = Effect.map(sumOf(served.map((each) => taken(store, each))), (open) => Math.max(open, busy()))
  const unsaid = sumOf(served.map((each) => leaving(store, each)))
  return untilNone(working).pipe(Effect.andThen(Effect.timeoutOption(untilNone(unsaid), patience)), Effect.asVoid)
}
