/**
 * A child host: does what the file in its first argument says and tells it on stdout, a line of JSON each: who it is, that
 * the first run had an event, what came of it all. It dies by its own doing where the scenario says so.
 */
import { readFileSync } from "node:fs"
import { hostId } from "../../src/process/marker.ts"
import { drive } from "./drive.ts"
import { listenForNoise } from "./noise.ts"
import { pidsFile, type Room } from "./room.ts"
import type { Scenario } from "./scenario.ts"
import { makeWatch } from "./watch.ts"

const { scenario, room }: { scenario: Scenario; room: Room } = JSON.parse(readFileSync(process.argv[2] ?? "", "utf8"))
const say = (line: object) => process.stdout.write(`${JSON.stringify(line)}\n`)
const noise = listenForNoise({ console: true, process: false })

say({ host: hostId })
// Before the first run, so that the moments of both sides are the same.
const watch = makeWatch(pidsFile(room, 0))
const driver = await drive(scenario, room, undefined, () => {
  watch.hear()
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
