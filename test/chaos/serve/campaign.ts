/**
 * A host of the page under load: conversations come and go over HTTP, CLIs crash, connections are cut, and the host is
 * killed, ended and told to read its configuration again, each time followed by another. Then one host alone, measured at
 * rest twice.
 */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { Context, Effect, Layer } from "effect"
import type { OpenStore } from "../../../src/store/OpenStore.ts"
import { Store } from "../../../src/store/Store.ts"
import { isAlive, logOf, makeRoom, type Page, type Room, startServe } from "../../program/serve/room.ts"
import { type Dice, makeDice } from "../dice.ts"
import { integrityOf } from "../storeRoom.ts"
import type { Logs } from "./checks.ts"
import { type Held, heldBy } from "./figures.ts"
import { type Visit, visit } from "./person.ts"
import { casesOf } from "./plan.ts"

/** People at a time. */
const width = 5
/** After the load, everybody is served. */
const lastMs = 60_000
const restMs = 20_000

interface Hosts {
  readonly page: () => Page
  /** Of the present host. */
  readonly pid: () => number
  /** What ends or changes it next, until it is over. */
  readonly disturb: (dice: Dice, isOver: () => boolean) => Promise<void>
  readonly end: () => Promise<void>
  readonly kills: () => number
}

/** A heap that is let grow shows no leak for a long time; this one is full by then. */
const smallHeap = { NODE_OPTIONS: "--max-old-space-size=96" }

const configs = ['whileBusy = "queue"\n', 'whileBusy = "steer"\n', "not valid\n"] as const

/** Waits for an agent to begin, and a little longer. */
const inTurn = async (room: Room, dice: Dice) => {
  const [before, until] = [room.logged().length, performance.now() + 5_000]
  while (room.logged().length === before && performance.now() < until) await sleep(10)
  await sleep(dice.spread(5, 800))
}

const startHosts = async (room: Room, problems: Array<string>): Promise<Hosts> => {
  let kills = 0
  let host = await startServe(room, ["--web=0"], smallHeap)
  const { page } = host
  const { port } = new URL(page.base)

  const judge = async (expected: "SIGKILL" | 0) => {
    const { code, signal, stderr } = await host.ended
    if ((expected === 0 ? code : signal) !== expected)
      problems.push(`a host ended with ${code ?? signal}, not ${expected}: ${stderr.slice(-2_000)}`)
    if (stderr.includes(page.key)) problems.push("the key of the page is in the log")
    for (const { level, message } of logOf(stderr)) {
      if (level !== "info" && level !== "warn" && !/configuration is not valid/.test(message)) problems.push(message)
    }
  }

  const again = async () => {
    writeFileSync(room.config, "")
    host = await startServe(room, [`--web=${port}`], smallHeap)
  }

  return {
    page: () => page,
    pid: () => host.child.pid ?? 0,
    kills: () => kills,
    disturb: async (dice, isOver) => {
      while (!isOver()) {
        await sleep(dice.spread(800, 4_000))
        if (isOver()) return
        const what = dice.among<"SIGKILL" | "SIGTERM" | "SIGINT" | "SIGHUP">(
          [4, () => "SIGKILL"],
          [2, () => "SIGTERM"],
          [1, () => "SIGINT"],
          [3, () => "SIGHUP"]
        )
        if (dice.chance(0.6)) await inTurn(room, dice)
        if (what === "SIGHUP") writeFileSync(room.config, dice.pick(configs))
        host.child.kill(what)
        if (what === "SIGHUP") continue
        kills += what === "SIGKILL" ? 1 : 0
        await judge(what === "SIGKILL" ? what : 0)
        await again()
      }
    },
    end: async () => {
      host.child.kill("SIGTERM")
      await judge(0)
    }
  }
}

/** What must be at its end. */
const openRows = ({ sql, read }: OpenStore) =>
  read(
    Effect.map(
      Effect.all([
        sql<{ what: string }>`select 'inbox ' || state as what from inbox where state in ('waiting', 'taken')`,
        sql<{
          what: string
        }>`select 'outbox ' || state as what from outbox where state in ('ready', 'sending', 'held')`,
        sql<{
          what: string
        }>`select 'turn ' || state as what from turns where state in ('queued', 'running', 'claimed')`
      ]),
      (rows) => rows.flat().map(({ what }) => what)
    )
  )

const ended = ({ sql, read }: OpenStore) =>
  read(
    Effect.map(
      sql<{ id: string }>`select update_id as id from inbox where state in ('done', 'dropped')`,
      (rows) => new Set(rows.map(({ id }) => id.split("/").at(-1) ?? ""))
    )
  )

export const runCampaign = async ({ seconds, seed }: { readonly seconds: number; readonly seed: number }) => {
  const room = makeRoom()
  const problems: Array<string> = []
  const visits: Array<Visit> = []
  const hosts = await startHosts(room, problems)
  const began = performance.now()
  const passedMs = () => performance.now() - began

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

  /** Nobody is there: what is left is what it keeps. */
  const rest = async (like?: Held) => {
    const until = performance.now() + restMs
    const isResting = () => {
      const { processes, descriptors } = heldBy(hosts.pid())
      // Connections that nobody uses are kept for a while.
      return processes === 0 && descriptors <= (like?.descriptors ?? descriptors)
    }
    while (!isResting() && performance.now() < until) await sleep(100)
    await sleep(500)
    return heldBy(hosts.pid())
  }

  try {
    const ms = seconds * 1000
    let isStorm = true
    const storm = hosts.disturb(makeDice(seed, 0), () => !isStorm)
    await load("a", ms * 0.5)
    isStorm = false
    await storm
    const from = Math.max(passedMs(), ms * 0.5)
    await load("bb", from + ms * 0.2)
    const before = await rest()
    await load("ccc", Math.max(passedMs(), from + ms * 0.2) + ms * 0.3)
    const after = await rest(before)
    await hosts.end()
    const read = Effect.gen(function* () {
      const store = Context.get(
        yield* Layer.build(Store.layerFile({ directory: join(room.root, "state/reins/store") })),
        Store
      )
      return { open: yield* openRows(store), done: yield* ended(store), integrity: yield* integrityOf(store) }
    })
    const agents = room.logged()
    const logs: Logs = {
      ...{ visits, problems, kills: hosts.kills(), held: [before, after] },
      ...(await Effect.runPromise(Effect.scoped(read))),
      begun: agents.map(({ text }) => text),
      alive: agents.map(({ pid }) => pid).filter(isAlive)
    }
    return logs
  } finally {
    room.remove()
  }
}
