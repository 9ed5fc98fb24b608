/** Hosts that spend on one store, killed and stopped at random; its budgets are looked at meanwhile, and all is read at the end. */
import { execFile } from "node:child_process"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { Context, Effect, Exit, Layer, Scope } from "effect"
import type { OpenStore } from "../../../src/conversations/store/OpenStore.ts"
import { Store } from "../../../src/conversations/store/Store.ts"
import { makeDice } from "../dice.ts"
import { clockMs, linesOf, runHosts } from "../hosts.ts"
import { type CampaignOptions, inStoreRoom, integrityOf, layerOf } from "../storeRoom.ts"
import type { Job } from "./host.ts"
import {
  type CliLine,
  type EntryRow,
  type HostLine,
  type Logs,
  type ReservationRow,
  type Sample,
  stored,
  type WindowRow
} from "./logs.ts"

const script = fileURLToPath(new URL("host.ts", import.meta.url))

/** Counts of PostgreSQL are texts. */
const plain = <A extends object>(row: A): A =>
  // The values are the same numbers.
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, typeof value === "bigint" ? Number(value) : value])
  ) as A

const rowsOf = <A extends object>({ sql, read }: OpenStore, table: string) =>
  read(Effect.map(sql<A>`select * from ${sql(table)}`, (rows) => rows.map(plain)))

const readRows = (store: OpenStore) =>
  Effect.all({
    windows: rowsOf<WindowRow>(store, "budget_windows"),
    reservations: rowsOf<ReservationRow>(store, "reservations")
  })

const readEnd = Effect.fnUntraced(function* (store: OpenStore) {
  const entries = yield* rowsOf<EntryRow>(store, "usage_entries")
  const open = yield* rowsOf<object>(store, "usage_open")
  return { ...(yield* readRows(store)), entries, open: open.length, integrity: yield* integrityOf(store) }
})

/** Windows that are over the limit which holds to the last micro-dollar. */
const overLimit = ({ sql, read }: OpenStore) =>
  read(
    Effect.map(
      sql<Sample>`select budget, subject, spent, reserved from budget_windows
        where budget = ${stored.name} and spent + reserved > ${stored.usd * 1e6}`,
      (rows) => rows.map(plain)
    )
  )

export const runCampaign = (options: CampaignOptions) =>
  inStoreRoom(options, async ({ root, work, store: place, env }) => {
    const { seconds, seed, hosts: width = 6 } = options
    const log = join(root, "cli.ndjson")
    const hosts: Array<HostLine> = []
    const jobOf = (number: number, isLast = false): Job => ({ seed, number, store: place, log, isLast })
    const scope = Effect.runSync(Scope.make())
    let isOver = false
    const over: Array<Sample> = []
    let samples = 0

    try {
      const store = Context.get(
        await Effect.runPromise(Layer.buildWithScope(Layer.fresh(layerOf(place)), scope)),
        Store
      )
      const look = async () => {
        while (!isOver) {
          over.push(...(await Effect.runPromise(overLimit(store))))
          samples += 1
          await sleep(50)
        }
      }
      const looking = look()
      const { kills, ...counts } = await runHosts<HostLine>({
        script,
        jobOf,
        cwd: work,
        env,
        seconds,
        width,
        dice: makeDice(seed, 0),
        lifeMs: [150, 4_000],
        onLine: (line) => void hosts.push(line),
        mayWarn: /level=WARN .*(store|ledger)/,
        onProblem: (problem) => void hosts.push({ is: "broke", at: clockMs(), problem })
      })
      isOver = true
      await looking
      const left = await Effect.runPromise(readRows(store))
      const last = ["--disable-warning=ExperimentalWarning", script, JSON.stringify(jobOf(0, true))]
      const closing = promisify(execFile)(process.execPath, last, { cwd: work, env, timeout: 60_000 })
      closing.child.stdin?.end()
      await closing
      const end = await Effect.runPromise(readEnd(store))
      const logs: Logs = { cli: linesOf<CliLine>(log), hosts, left, samples, over, kills, ...end }
      return { ...logs, ...counts }
    } finally {
      isOver = true
      await Effect.runPromise(Scope.close(scope, Exit.void))
    }
  })
