/**
 * While each conversation has a turn under way that has news each second: how fast messages are taken in, and how long a
 * press of *Stop* and a `/stop` wait behind messages that have just come.
 */
import { mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { Effect } from "effect"
import { people, start, until } from "./bridgeOf.mjs"
import { measure, task } from "./measure.mjs"

const [presser = "", stopper = ""] = people

/** Cost of a durable row on this disk: of the machine, not of the bridge. */
const writeMs = () => {
  const database = new DatabaseSync(join(mkdtempSync(join(tmpdir(), "disk-")), "rows.db"))
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; create table rows (text text)")
  const insert = database.prepare("insert into rows values ('a message')")
  const [count, from] = [200, performance.now()]
  for (let nth = 0; nth < count; nth++) insert.run()
  return (performance.now() - from) / count
}

const busy = Effect.gen(function* () {
  const { say, press, seen: known } = yield* start
  for (const person of people) say(person, "hold")
  yield* until(() => known.progress.size >= people.length)

  /** One of each in turn. */
  const sayMany = (/** @type {number} */ count) => {
    for (let nth = 0; nth < count; nth++) say(people[nth % people.length] ?? "", `and then ${nth}`)
  }

  const taken = known.taken + task.messages
  const before = process.cpuUsage()
  const from = performance.now()
  sayMany(task.messages)
  yield* until(() => known.taken >= taken)
  const perSecond = (task.messages * 1_000) / (performance.now() - from)
  const { user, system } = process.cpuUsage(before)
  const messageCpuMs = (user + system) / 1_000 / task.messages

  const beforePress = performance.now()
  sayMany(task.waiting)
  press(presser)
  yield* until(() => known.acknowledged.has(presser))
  const pressMs = performance.now() - beforePress

  const beforeStop = performance.now()
  sayMany(task.waiting)
  say(stopper, "/stop")
  yield* until(() => known.stopped.has(stopper))
  const stopMs = performance.now() - beforeStop
  return { perSecond, messageCpuMs, pressMs, stopMs, writeMs: writeMs() }
})

await measure(
  () => Effect.runPromise(Effect.scoped(busy)),
  (facts) => facts
)
