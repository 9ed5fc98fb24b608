/** The faults of the stream itself: a cut line, a very long one, a consumer that does not take what comes. */
import { setTimeout as sleep } from "node:timers/promises"
import { openCell, until } from "./cell.ts"
import { begun, hasEnded, limitMs, notReady, tellOf } from "./facts.ts"
import type { Peer } from "./peers.ts"

const heavyLimitMs = 30_000

const times = (count: number) => (count === 0 ? "lost" : count === 1 ? "once" : `${count} times`)

/** The texts before and behind the fault, as the package gave them. */
const textsOf = async (peer: Peer, fault: string) => {
  await using cell = await openCell(peer, { fault })
  await begun(cell)
  await until(() => hasEnded(cell), limitMs)
  const end = cell.told("end")
  const notices = end?.notices ?? []
  const reported = `${tellOf(cell)}${notices.length > 0 ? ` (notice ${notices.join(", ")})` : ""}`
  return {
    told: reported,
    texts: end === undefined ? "" : `text before ${times(end.alpha)}, behind ${times(end.omega)}`
  }
}

/** Beside the same run without the cut line: some packages give no more than the last text in any case. */
export const malformed = async (peer: Peer) => {
  const [sound, cut] = [await textsOf(peer, "sound"), await textsOf(peer, "malformed")]
  return `${cut.told}; ${cut.texts}${sound.texts === "text before once, behind once" ? "" : ` (without it: ${sound.texts})`}`
}

export const bigLine = async (peer: Peer) => {
  await using cell = await openCell(peer, { fault: "big-line" })
  const obstacle = await notReady(cell)
  if (obstacle !== undefined) return obstacle
  const before = cell.memory().now
  const from = Date.now()
  cell.go()
  await until(() => hasEnded(cell), heavyLimitMs)
  const end = cell.told("end")
  if (end === undefined) return cell.crash() ?? `not through after ${heavyLimitMs / 1000} s`
  const took = `${Math.round((end.at - from) / 1000)} s`
  const whole = end.longest > 67_000_000 ? "comes whole" : `comes as ${end.longest} characters`
  const output = end.outputs === 0 ? "is not given" : whole
  const memory = `+${Math.round(cell.memory().most - before)} MB`
  return `${output}, next line ${times(end.omega)}, ${memory}, ${took} (${end.told})`
}

/** The pause lasts until all has been written, or nothing more for 5 s: then the package holds the CLI back. */
export const flood = async (peer: Peer) => {
  await using cell = await openCell(peer, { fault: "flood", pauses: true })
  const obstacle = await notReady(cell)
  if (obstacle !== undefined) return obstacle
  const heldBefore = await cell.held()
  const before = cell.memory().now
  cell.go()
  let [most, last, since] = [before, "", performance.now()]
  const from = performance.now()
  while (last !== "all" && performance.now() - since < 5_000 && performance.now() - from < heavyLimitMs) {
    if (hasEnded(cell)) break
    const progress = cell.progress()
    if (progress !== last) since = performance.now()
    last = progress
    most = Math.max(most, cell.memory().now)
    await sleep(50)
  }
  const taken = last === "all" ? "all read" : `${Math.round(Number(last) / 1e6)} MB read, then the CLI waits`
  await sleep(1_000)
  const held = Math.round((await cell.held()) - heldBefore)
  cell.say("resume")
  await until(() => hasEnded(cell), heavyLimitMs)
  const end = cell.told("end")
  const count =
    end === undefined ? "" : end.outputs > 0 ? `${end.outputs} of 2000 outputs` : `${end.calls} of 2000 calls`
  const rest =
    end === undefined
      ? (cell.crash() ?? `the rest has not come after ${heavyLimitMs / 1000} s`)
      : `then ${count}, last text ${times(end.omega)}`
  return `+${Math.round(most - before)} MB at most, +${held} MB held, ${taken}; ${rest}`
}
