/** A cluster of machines on one database, disturbed by a plan while clients send turns; afterwards all is read that is left. */
import { cpSync } from "node:fs"
import { setTimeout as sleep } from "node:timers/promises"
import { Effect } from "effect"
import { makeDatabase, postgres } from "../../../test/kit/postgres.ts"
import { type Dice, makeDice } from "../dice.ts"
import { livingOf, waitUntilGone } from "../processes.ts"
import { stepMark } from "../room.ts"
import { inStoreRoom, type StoreRoom } from "../storeRoom.ts"
import { type Client, startClient } from "./clients.ts"
import { watchClis } from "./cliLogs.ts"
import type { ClientLine, Logs } from "./logs.ts"
import { type Machine, type Site, startMachine } from "./machines.ts"
import { clientCount, conversationCount, type Disturbance, machineCount, nameOf, placeOf, planOf } from "./plan.ts"
import { rowsOf } from "./rows.ts"

export interface Options {
  readonly seconds: number
  readonly seed: number
  /** Where all logs are kept; they are removed otherwise. */
  readonly logs?: string
}

export interface Done {
  readonly logs: Logs
  readonly disturbed: ReadonlyArray<string>
  /** So many disturbances found another one in their place. */
  readonly left: number
}

/** When nothing is disturbed any more, all is to be at its end. */
const calmMs = 60_000
/** The leftovers of a killed runner are gone. */
const goneMs = 10_000

const numbers = (count: number) => Array.from({ length: count }, (_, at) => at + 1)

/** Sends the turns of one conversation, up to three before the first is answered. */
const converse = async (number: number, dice: Dice, clients: ReadonlyArray<Client>, isOver: () => boolean) => {
  const open = new Set<Promise<void>>()
  let turns = 0
  while (!isOver()) {
    const most = dice.between(1, 3)
    while (open.size >= most && !isOver()) await Promise.race([...open, sleep(200)])
    if (isOver()) break
    const turn = `c${number}-${++turns}`
    const prompt = JSON.stringify({ turn, ms: dice.spread(100, 2_000) })
    const client = clients[dice.between(0, clients.length - 1)]
    const request = client?.ask({ turn, conversation: `c${number}`, prompt })
    if (request === undefined) break
    open.add(request)
    void request.then(() => open.delete(request))
    await sleep(dice.spread(100, 4_000))
  }
  await Promise.all(open)
}

const disturbing = (machines: ReadonlyArray<Machine>, clients: ReadonlyArray<Client>) => async (what: Disturbance) => {
  if (what.is === "client") return clients[what.client - 1]?.kill()
  if (what.is !== "database") return machines[what.machine - 1]?.disturb(what)
  const server = await Effect.runPromise(postgres)
  await server.stop(what.mode)
  await sleep(what.downMs)
  await server.start()
}

/** All of the plan, each at its time; what finds its place taken is left out. */
const followPlan = async ({ seed, seconds }: Options, disturb: (what: Disturbance) => Promise<void>) => {
  const [disturbed, working, places] = [[] as string[], [] as Promise<void>[], new Set<string>()]
  let left = 0
  const since = performance.now()
  for (const { atMs, disturbance } of planOf(seed, seconds)) {
    await sleep(Math.max(0, since + atMs - performance.now()))
    const place = placeOf(disturbance)
    if (places.has(place)) {
      left += 1
      continue
    }
    places.add(place)
    disturbed.push(nameOf(disturbance))
    working.push(disturb(disturbance).finally(() => places.delete(place)))
  }
  await sleep(Math.max(0, since + seconds * 1_000 - performance.now()))
  return { disturbed, left, restored: Promise.all(working) }
}

const inRoom = async (options: Options, room: StoreRoom, mark: string): Promise<Done> => {
  const { seed } = options
  const { name } = await Effect.runPromise(makeDatabase)
  const server = await Effect.runPromise(postgres)
  const problems: Array<string> = []
  const url = new URL(server.urlOf(name))
  const urlBy = (port: number) => Object.assign(new URL(url), { port: String(port) }).href
  const site: Site = { room, databasePort: server.port, urlBy, problems }
  const machines = await Promise.all(numbers(machineCount).map((number) => startMachine(number, site)))
  const clis = watchClis(machines.map(({ directory }) => directory))
  const text: Array<ClientLine> = []
  let clients: ReadonlyArray<Client> = []
  try {
    await Promise.all(machines.map(({ ready }) => ready()))
    clients = numbers(clientCount).map((number) => startClient(number, site, (line) => void text.push(line)))
    let isOver = false
    const talks = numbers(conversationCount).map((number) =>
      converse(number, makeDice(seed, number), clients, () => isOver)
    )
    const { disturbed, left, restored } = await followPlan(options, disturbing(machines, clients))
    isOver = true
    await restored
    await Promise.race([Promise.all(talks), sleep(calmMs, undefined, { ref: false })])
    await Promise.all(clients.map(({ close }) => close()))
    await Promise.all(machines.map(({ end }) => end()))
    const living = await waitUntilGone(() => livingOf({ root: room.root, mark }, room.root), goneMs)
    const survivors = living.map(({ pid, command }) => `${pid}: ${command}`)
    const rows = await rowsOf(url.href)
    const logs = { cli: clis.lines(), seen: clis.seen, clients: text, rows, survivors, problems }
    return { logs, disturbed, left }
  } finally {
    clis.close()
    for (const { close } of machines) close()
    for (const { kill } of clients) kill()
  }
}

export const runCampaign = (options: Options): Promise<Done> =>
  inStoreRoom({ store: "postgres" }, async (room) => {
    const mark = crypto.randomUUID()
    const done = await inRoom(options, { ...room, env: { ...room.env, [stepMark]: mark } }, mark)
    if (options.logs !== undefined) cpSync(room.root, options.logs, { recursive: true })
    return done
  })
