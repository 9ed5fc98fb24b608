/**
 * Rows on their way into the store: what comes within a moment is one transaction, and readers are woken behind it. What a
 * store does not take is tried again, in its order; where that takes too long, steps of agents are left out, and it is said.
 */
import { Clock, Effect, Latch, Option, type Scope, Semaphore } from "effect"
import { blocksOf } from "../../../bridge/format/blocks.ts"
import type { StoreError } from "../../../contract/StoreError.ts"
import { plural } from "../../../contract/text/amounts.ts"
import type { Hub } from "./hub.ts"
import type { NewRow, WebRow } from "./row.ts"
import type { RowTable, Written } from "./rowTable.ts"

/** A row whose content is known when it is written. */
export interface LaterRow extends Omit<NewRow, "body"> {
  readonly take: () => WebRow
}

export interface RowLog {
  /** Soon; in order with all else. */
  readonly put: (rows: ReadonlyArray<LaterRow>) => void
  /** Now, behind all that was put before; true numbers, or a failure after which nothing of `rows` is there. */
  readonly commit: (rows: ReadonlyArray<NewRow>) => Effect.Effect<ReadonlyArray<Written>, StoreError>
  /** So many wait. */
  readonly waiting: () => number
}

/** Between two transactions; longer where one takes long. */
const leastPauseMs = 75
const share = 4
const retryMs = 1_000
const mostAtOnce = 1_000
const mostWaiting = 10_000

export const makeRowLog = Effect.fnUntraced(function* (
  table: RowTable,
  hub: Hub
): Effect.fn.Return<RowLog, StoreError, Scope.Scope> {
  const oneAtATime = Semaphore.makeUnsafe(1)
  const arrived = Latch.makeUnsafe(false)
  let later: Array<LaterRow> = []
  let ready: Array<NewRow> = []
  let newest = yield* table.newest
  const lost = new Map<string, number>()

  /** Drops the oldest steps while the store takes nothing. */
  const bound = () => {
    const most = mostWaiting - ready.length
    if (most >= 0) return
    let left = -most
    ready = ready.filter(({ body, chat }) => {
      if (left === 0 || body.row !== "event") return true
      left -= 1
      lost.set(chat, (lost.get(chat) ?? 0) + 1)
      return false
    })
  }

  const missing = (at: number): ReadonlyArray<NewRow> =>
    [...lost].map(([chat, count]) => {
      const text = `${plural(count, "step")} of the agent could not be kept: the store took nothing for a while.`
      return { chat, at, body: { row: "host", what: "notice", text, blocks: blocksOf(text) } }
    })

  const write = (rows: ReadonlyArray<NewRow>) =>
    Effect.gen(function* () {
      if (rows.length === 0) return []
      const ids = yield* table.append(rows, newest)
      newest = Math.max(newest, ...ids.map(({ id }) => id))
      hub.rows(new Set(rows.map(({ chat }) => chat)))
      return ids
    })

  const leaveOut = (chat: string, defect: unknown) =>
    Effect.andThen(
      Effect.logError("a row of the page cannot be kept", defect),
      Effect.sync(() => lost.set(chat, (lost.get(chat) ?? 0) + 1))
    )

  /** A row that cannot be written does not hold up others. */
  const writeAll = (rows: ReadonlyArray<NewRow>) =>
    Effect.catchDefect(write(rows), () =>
      Effect.forEach(rows, (row) => Effect.catchDefect(write([row]), (defect) => leaveOut(row.chat, defect)))
    )

  /** Writes all waiting rows, or keeps them. */
  const drain = Effect.gen(function* () {
    const at = yield* Clock.currentTimeMillis
    const taken = later
    later = []
    for (const { take, ...row } of taken) {
      const body = yield* Effect.option(
        Effect.try({ try: take, catch: (defect) => defect }).pipe(
          Effect.tapError((defect) => leaveOut(row.chat, defect))
        )
      )
      if (Option.isSome(body)) ready.push({ ...row, body: body.value })
    }
    bound()
    while (ready.length > 0) {
      const rows = ready.slice(0, mostAtOnce)
      // Rows that were written and are still in hand would be written again.
      yield* Effect.uninterruptible(
        Effect.map(writeAll(rows), () => {
          ready = ready.slice(rows.length)
        })
      )
    }
    const gap = missing(at)
    if (gap.length === 0) return
    yield* write(gap)
    lost.clear()
  })

  const round = Effect.gen(function* () {
    yield* arrived.await
    arrived.closeUnsafe()
    const before = performance.now()
    const isWritten = yield* oneAtATime
      .withPermits(1)(drain)
      .pipe(
        Effect.as(true),
        Effect.catch((error) =>
          Effect.as(Effect.logWarning(`rows of the page wait for the store: ${error.message}`), false)
        ),
        Effect.catchDefect((defect) =>
          Effect.as(Effect.logError("rows of the page could not be written", defect), false)
        )
      )
    if (!isWritten) arrived.openUnsafe()
    yield* Effect.sleep(isWritten ? Math.max(leastPauseMs, share * (performance.now() - before)) : retryMs)
  })
  yield* Effect.addFinalizer(() => Effect.ignore(oneAtATime.withPermits(1)(drain)))
  yield* Effect.forkScoped(Effect.forever(round))

  return {
    put: (rows) => {
      for (const row of rows) later.push(row)
      arrived.openUnsafe()
    },
    commit: (rows) => oneAtATime.withPermits(1)(Effect.andThen(drain, write(rows))),
    waiting: () => later.length + ready.length
  }
})
