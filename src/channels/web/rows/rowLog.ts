/**
 * Writes rows into the store: rows of a moment in one transaction, after which readers are woken. Failed writes are retried
 * in order. If too many rows wait, steps of agents are dropped, and a notice says so.
 */
import { Clock, Context, Effect, Latch, Layer, Semaphore } from "effect"
import { blocksOf } from "../../../bridge/format/blocks.ts"
import type { StoreError } from "../../../contract/StoreError.ts"
import { plural } from "../../../contract/text/amounts.ts"
import { Hub } from "./hub.ts"
import type { NewRow, WebRow } from "./row.ts"
import { RowTable, type Written } from "./rowTable.ts"

/** A row whose content is known when it is written. */
export interface LaterRow extends Omit<NewRow, "body"> {
  readonly take: () => WebRow
}

export class RowLog extends Context.Service<
  RowLog,
  {
    /** Writes rows soon, in order. */
    readonly put: (rows: ReadonlyArray<LaterRow>) => void
    /** Writes rows now, after all earlier ones; if it fails, none of them is written. */
    readonly commit: (rows: ReadonlyArray<NewRow>) => Effect.Effect<ReadonlyArray<Written>, StoreError>
  }
>()("reins/web/RowLog") {
  static readonly layer = Layer.effect(
    RowLog,
    Effect.suspend(() => makeRowLog)
  )
}

/** Pause between two transactions: at least this, and so many times the duration of the last one. */
const leastPauseMs = 75
const share = 4
const retryMs = 1_000
const mostAtOnce = 1_000
const mostWaiting = 10_000

const makeRowLog = Effect.gen(function* () {
  const [table, hub] = [yield* RowTable, yield* Hub]
  const alone = Semaphore.makeUnsafe(1).withPermits(1)
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
      countLost(chat)
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

  const countLost = (chat: string) => void lost.set(chat, (lost.get(chat) ?? 0) + 1)

  const leaveOut = (chat: string, defect: unknown) =>
    Effect.andThen(
      Effect.logError("a row of the page cannot be kept", defect),
      Effect.sync(() => countLost(chat))
    )

  /** A row that cannot be written does not delay others. */
  const writeAll = (rows: ReadonlyArray<NewRow>) =>
    Effect.catchDefect(write(rows), () =>
      Effect.forEach(rows, (row) => Effect.catchDefect(write([row]), (defect) => leaveOut(row.chat, defect)))
    )

  /** Writes all pending rows; on failure they stay pending. */
  const drain = Effect.gen(function* () {
    const at = yield* Clock.currentTimeMillis
    const taken = later
    later = []
    for (const { take, ...row } of taken) {
      const body = yield* Effect.catch(Effect.try({ try: take, catch: (defect) => defect }), (defect) =>
        leaveOut(row.chat, defect)
      )
      if (body !== undefined) ready.push({ ...row, body })
    }
    bound()
    while (ready.length > 0) {
      const rows = ready.slice(0, mostAtOnce)
      // An interruption between the two would write rows again.
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
    const isWritten = yield* alone(drain).pipe(
      Effect.as(true),
      Effect.catch((error) =>
        Effect.as(Effect.logWarning(`rows of the page wait for the store: ${error.message}`), false)
      ),
      Effect.catchDefect((defect) => Effect.as(Effect.logError("rows of the page could not be written", defect), false))
    )
    if (!isWritten) arrived.openUnsafe()
    yield* Effect.sleep(isWritten ? Math.max(leastPauseMs, share * (performance.now() - before)) : retryMs)
  })
  yield* Effect.addFinalizer(() => Effect.ignore(alone(drain)))
  yield* Effect.forkScoped(Effect.forever(round))

  return RowLog.of({
    put: (rows) => {
      for (const row of rows) later.push(row)
      arrived.openUnsafe()
    },
    commit: (rows) => alone(Effect.andThen(drain, write(rows)))
  })
})
