/**
 * A child host: does what the file in its first argument says and tells it on stdout, a line of JSON each: who it is, that
 * the first run had an event, what came of it all. It dies by its own doing where the scenario says so.
 */
import { readFileSync } from "node:fs"
import { Effect } from "effect"
import { Host } from "../../src/system/process/host.ts"
import { type Disturbance, disturbHere } from "./disturbances.ts"
import { drive } from "./drive.ts"
import { driveLive } from "./live/drive.ts"
import type { LivePlan } from "./live/plan.ts"
import { listenForNoise } from "./noise.ts"
import { pidsFile, type Room } from "./room.ts"
import type { Scenario } from "./scenario.ts"
import { makeWatch } from "./watch.ts"

interface Job {
  readonly room: Room
  readonly disturbances: ReadonlyArray<Disturbance>
  /** One of both. */
  readonly scenario?: Scenario
  readonly live?: LivePlan
}

const { scenario, live, room, disturbances }: Job = JSON.parse(readFileSync(process.argv[2] ?? "", "utf8"))
const say = (line: object) => process.stdout.write(`${JSON.stringify(line)}\n`)
const noise = listenForNoise({ console: true, process: false })

say({ host: Effect.runSync(Host).id })
disturbHere(disturbances)

const doLive = async (plan: LivePlan) => {
  const driver = await driveLive(plan, room)
  say({ account: await driver.ended, noise: noise() })
}

const doRuns = async (scenario: Scenario) => {
  // Before the first run, so that the moments of both sides are the same.
  const watch = makeWatch(pidsFile(room, 0))
  const driver = await drive(scenario, room, undefined, () => {
    watch.onEvent()
    say({ event: true })
  })
  const { fate } = scenario
  if (fate?.how === "closes on SIGTERM") process.once("SIGTERM", () => void driver.close())

  const die = async () => {
    if (fate === null || !(await watch.reached(fate.at))) return
    if (fate.how === "exit") process.exit(3)
    if (fate.how === "throw") setImmediate(() => JSON.parse("{ thrown by the host"))
    if (fate.how === "reject") void Promise.reject(new Error("rejected by the host"))
  }
  void die()
  const account = await driver.ended
  watch.end()
  say({ account, noise: noise() })
}

if (scenario !== undefined) await doRuns(scenario)
if (live !== undefined) await doLive(live)
