/**
 * A host of the page under load, in thirds. In the first, conversations come and go over HTTP, CLIs crash, connections are
 * cut, and the host is killed, ended and told to read its configuration again, each time followed by another. In the
 * others one host goes on through all that must not end it; it is measured at rest behind each. In all of them its disk
 * fills and empties, and its clock jumps.
 */
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { Effect } from "effect"
import { isAlive, makeRoom, type Room } from "../../../test/program/serve/room.ts"
import { type Dice, makeDice } from "../dice.ts"
import { openRows } from "../openRows.ts"
import { integrityOf } from "../storeRoom.ts"
import { keptTooLong, type Logs } from "./checks.ts"
import { type Disk, mountDisk } from "./disk.ts"
import { type Held, heldBy } from "./figures.ts"
import { startHosts } from "./hosts.ts"
import { type Visit, visit } from "./person.ts"
import { casesOf } from "./plan.ts"
import { type Counts, countsOf, endedIds, inStore } from "./rows.ts"
import { changesOf, stormOf, type Weather } from "./weather.ts"

/** People at a time. */
const width = 5
/** After the load, everybody is served. */
const lastMs = 60_000
const restMs = 20_000
const diskMiB = 64
/** Longer than anything of a conversation is kept. */
const longMs = 300 * 24 * 3_600_000

/** Snapshot of the idle heap, in the directory of that name. */
const pictureOf = (visits: number) => {
  const { REINS_CHAOS_SNAPSHOTS: directory } = process.env
  return directory === undefined ? undefined : join(directory, `${visits}.heapsnapshot`)
}

export interface CampaignOptions {
  readonly seconds: number
  readonly seed: number
  /** A disk can be mounted. */
  readonly hasDisk: boolean
}

/** How often each kind of weather was. */
export type Seasons = Record<"full" | "jump" | "signal", number>

/** Waits for an agent to begin, and a little longer. */
const inTurn = async (room: Room, dice: Dice) => {
  const [before, until] = [room.logged().length, performance.now() + 5_000]
  while (room.logged().length === before && performance.now() < until) await sleep(10)
  await sleep(dice.spread(5, 800))
}

/** Memory freed meanwhile is taken again. */
const fillFor = async (disk: Disk, ms: number) => {
  const until = performance.now() + ms
  try {
    while (performance.now() < until) {
      disk.fill()
      await sleep(50)
    }
  } finally {
    disk.empty()
  }
}

export const runCampaign = async ({ seconds, seed, hasDisk }: CampaignOptions) => {
  const room = makeRoom()
  const state = join(room.root, "state")
  const disk = hasDisk ? mountDisk(state, diskMiB) : undefined
  const problems: Array<string> = []
  const visits: Array<Visit> = []
  const seasons: Seasons = { full: 0, jump: 0, signal: 0 }
  const hosts = await startHosts(room, problems)
  const began = performance.now()
  const passedMs = () => performance.now() - began

  const undergo = async (weather: Weather, dice: Dice) => {
    if (weather.what === "full" && disk === undefined) return
    seasons[weather.what] += 1
    if (weather.what === "full" && disk !== undefined) return await fillFor(disk, weather.ms)
    if (weather.what === "jump") return await hosts.shift(weather)
    if (weather.what !== "signal") return
    if (weather.inTurn) await inTurn(room, dice)
    await hosts.disturb(weather.signal)
  }

  /** One after the other, until it is over. */
  const bear = async (weathers: Iterable<Weather>, dice: Dice, untilMs: number) => {
    for (const weather of weathers) {
      if (passedMs() > untilMs) return
      await sleep(dice.spread(400, 2_500))
      if (passedMs() < untilMs) await undergo(weather, dice)
    }
  }

  /** People come and go until then, and are served. */
  const load = async (prefix: string, untilMs: number) => {
    const isOver = () => passedMs() > untilMs + lastMs
    const people = Array.from({ length: width }, async (_, at) => {
      for (const own of casesOf(makeDice(seed, at + prefix.length * 100), `${prefix}${at + 1}-`)) {
        if (passedMs() > untilMs) return
        visits.push(await visit(hosts.page(), own, isOver))
      }
    })
    await Promise.all(people)
  }

  const third = async (prefix: string, weathers: (dice: Dice) => Iterable<Weather>) => {
    const untilMs = passedMs() + (seconds * 1_000) / 3
    const dice = makeDice(seed, prefix.length)
    await Promise.all([load(prefix, untilMs), bear(weathers(dice), dice, untilMs)])
  }

  /** Without people: the rest is what it retains. */
  const rest = async (like?: Held): Promise<Held> => {
    const until = performance.now() + restMs
    const isResting = () => {
      const { processes, descriptors } = heldBy(hosts.pid())
      // Unused connections are kept for a while.
      return processes === 0 && descriptors <= (like?.descriptors ?? descriptors)
    }
    while (!isResting() && performance.now() < until) await sleep(100)
    await sleep(500)
    const { heapBytes, externalBytes, resources } = await hosts.measure(pictureOf(visits.length))
    const heapMiB = Math.round((heapBytes + externalBytes) / 1024 / 102.4) / 10
    return { ...heldBy(hosts.pid()), heapMiB, resources, rows: await inStore(room, countsOf), visits: visits.length }
  }

  /** Half a year later, without messages: another host begins, and tidies. */
  const growOld = async (): Promise<Counts> => {
    await hosts.shift({ wallMs: longMs, monotonicMs: 0 })
    await hosts.disturb("SIGTERM")
    const until = performance.now() + restMs
    let counts = await inStore(room, countsOf)
    while (keptTooLong(counts).length > 0 && performance.now() < until) {
      await sleep(200)
      counts = await inStore(room, countsOf)
    }
    return counts
  }

  try {
    await third("a", stormOf)
    const first = await rest()
    await third("bb", changesOf)
    const before = await rest(first)
    await third("ccc", changesOf)
    const after = await rest(before)
    const [open, done] = await inStore(room, (store) => Effect.all([openRows(store), endedIds(store)]))
    const old = await growOld()
    await hosts.end()
    const integrity = await inStore(room, integrityOf)
    const agents = room.logged()
    const logs: Logs = {
      ...{ visits, problems, seasons, kills: hosts.kills(), held: [first, before, after] },
      ...{ open, done, old, integrity, warnings: hosts.warnings() },
      begun: agents.map(({ text }) => text),
      alive: agents.map(({ pid }) => pid).filter(isAlive)
    }
    return logs
  } finally {
    disk?.remove()
    room.remove()
  }
}
