/**
 * The scale of the cluster: a PostgreSQL server, three homes and the callers, on this machine. Prints what was measured, as
 * Markdown. `--conversations N` (10,000), `--minutes N` of load (2), `--rate N` turns a minute (500), `--rows N` of turns for
 * the plans (100,000), `--idle N` seconds until what is unused was let go of (330), `--plans` prints the plans.
 */
import { createHash } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { parseArgs } from "node:util"
import { openClient } from "./asking.ts"
import { openDatabase } from "./database.ts"
import { cpuMsOf, killHomes, startHome } from "./homes.ts"
import { fill, plansOf } from "./plans.ts"
import { counted, longest, memories, plans, waits } from "./report.ts"

const { values } = parseArgs({
  options: {
    conversations: { type: "string", default: "10000" },
    minutes: { type: "string", default: "2" },
    rate: { type: "string", default: "500" },
    rows: { type: "string", default: "100000" },
    idle: { type: "string", default: "330" },
    rest: { type: "string", default: "30" },
    plans: { type: "boolean", default: false }
  }
})
const [conversations, minutes, rate] = [Number(values.conversations), Number(values.minutes), Number(values.rate)]
const [rows, idle, rest] = [Number(values.rows), Number(values.idle), Number(values.rest)]

const root = mkdtempSync(join(tmpdir(), "reins-scale-"))
process.once("exit", () => {
  killHomes()
  rmSync(root, { recursive: true, force: true })
})
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => process.exit(130))
// The callers' store has a state directory, too.
process.env.XDG_STATE_HOME = join(root, "caller")

const database = await openDatabase()
const homes = await Promise.all(["home-1", "home-2", "home-3"].map((name) => startHome(root, name, database.url)))
const memoryOfAll = () => Promise.all(homes.map(({ memory }) => memory()))
const cpuOfHomes = () => homes.reduce((sum, { pid }) => sum + cpuMsOf(pid), 0)

/** Counters while it runs, and the longest statement. */
const during = async <A>(title: string, turns: number, work: () => Promise<A>): Promise<A> => {
  const [cpu, own, end] = [cpuOfHomes(), cpuMsOf(process.pid), database.begin()]
  const done = await work()
  const found = end()
  console.log(counted(title, turns, found, cpuOfHomes() - cpu, cpuMsOf(process.pid) - own))
  console.log(longest(database.longest(turns === 0 ? 6 : 12)))
  return done
}

const atRest = (title: string) => during(title, 0, () => sleep(rest * 1000))

await sleep(5_000)
await atRest("Three idle homes")
const before = await memoryOfAll()
const client = await openClient(database.url, "codex")
await atRest("Three homes and one caller at rest")

// Simultaneous requests are not neighbours in an index.
const nameOf = (nth: number) => createHash("sha1").update(`${nth}`).digest("hex").slice(0, 12)
const names = Array.from({ length: conversations }, (_, nth) => nameOf(nth))
const made = await during(`${conversations} new conversations, 48 at once`, conversations, () =>
  client.each(names, 48, 0)
)
console.log(waits("New conversations", made, database))
const full = await memoryOfAll()
const fullAt = performance.now()

const count = Math.round(rate * minutes)
const any = Array.from({ length: count }, (_, nth) => nameOf((nth * 7_919) % conversations))
const request = await during(`${rate} turns a minute for ${minutes} minutes, without processes`, count, () =>
  client.steadily(any, rate, 1_000)
)
console.log(waits("Turns of a second, no process", request, database))

const caller = await openClient(database.url, "claude")
const some = Array.from({ length: rate }, (_, nth) => `p${nth % Math.ceil(rate / 4)}`)
const real = await during(`${rate} turns a minute for a minute, a process each`, some.length, () =>
  caller.steadily(some, rate, 1_000)
)
console.log(waits("Turns of a second, a process each", real, database))
await caller.end()
await client.end()

await sleep(Math.max(0, idle * 1000 - (performance.now() - fullAt)))
await atRest(`Three homes at rest, after ${conversations} conversations`)
console.log(memories(conversations, before, full, await memoryOfAll()))

if (rows > 0) {
  fill(database, rows)
  const found = plansOf(database)
  console.log(plans(rows, found))
  if (values.plans) for (const { name, text } of found) console.log(`\n### ${name}\n\n${text}`)
}

await Promise.all(homes.map(({ end }) => end()))
await database.end()
process.exit(0)
