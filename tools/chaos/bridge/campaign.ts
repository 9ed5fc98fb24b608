/** Hosts that serve accounts of one channel, killed at every change of their store and at random; each is followed by another. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { Context, Effect, Layer, Schedule } from "effect"
import { Store } from "../../../src/conversations/store/Store.ts"
import { makeDice } from "../dice.ts"
import { judge, linesOf } from "../hosts.ts"
import { openRows } from "../openRows.ts"
import { type CampaignOptions, inStoreRoom, integrityOf, layerOf, type StoreRoom } from "../storeRoom.ts"
import type { Job } from "./host.ts"
import type { AgentLine, Logs, ServedChat } from "./logs.ts"
import type { Outside } from "./Outside.ts"
import { type Person, startPerson } from "./person.ts"
import { type Case, casesOf, type LaneKind } from "./plan.ts"
import { startScripted } from "./scriptedOutside.ts"
import { startOutside } from "./serviceOutside.ts"

const script = fileURLToPath(new URL("host.ts", import.meta.url))

/** A person waits so long before another one writes. */
const patienceMs = 4_000
/** If the channel can be asked, an unknown message is looked up half a minute later. */
const lastMs = 110_000
/** More than there is time for. */
const mostCases = 3_000

interface Campaign {
  readonly seed: number
  readonly room: StoreRoom
  readonly log: string
  readonly isOver: () => boolean
  readonly problems: Array<string>
}

interface Opened {
  readonly own: Case
  readonly person: Person
  readonly killsBefore: number
  killsAfter?: number
}

/** One account: a host after the other. */
const startLane = async (kind: LaneKind, number: number, { room, log, isOver, problems, seed }: Campaign) => {
  const accountId = `${kind.name}${number}`
  const outside: Outside =
    kind.service === undefined ? await startScripted(accountId, kind) : await startOutside(kind.service, number, seed)
  const hasButtons = !kind.lacks.includes("buttons")
  const opened: Array<Opened> = []
  const people = Array.from({ length: mostCases }, (_, at) => outside.personOf(`${accountId}-${at + 1}`))
  const { options = {}, url } = outside
  const job: Job = { store: room.store, url, accountId, kind, people, log, options }
  let [kills, lingered, isEnding] = [0, 0, false]
  let host: ChildProcess | undefined
  let isServing = Promise.resolve<unknown>(undefined)

  let connecting: Promise<void> | undefined
  /** The service has to be told of the first host; one that dies meanwhile is followed by another. */
  const connected = () => {
    connecting ??= (outside.connect?.() ?? Promise.resolve()).catch(() => {
      connecting = undefined
    })
    return connecting
  }

  const keepHost = async () => {
    while (!isEnding) {
      const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", script, JSON.stringify(job)], {
        cwd: room.work,
        env: room.env,
        stdio: ["pipe", "pipe", "pipe"]
      })
      host = child
      let content = ""
      child.stderr.on("data", (chunk) => {
        content += chunk
      })
      child.stdin.on("error", () => {})
      const ended = once(child, "close")
      const serving = Promise.race([once(createInterface({ input: child.stdout }), "line"), ended])
      isServing = Promise.race([serving.then(() => connected()), ended])
      const [code, signal] = await ended
      host = undefined
      const reported = judge(content, /level=WARN/)
      lingered += reported.lingered
      if (signal === "SIGKILL") kills += 1
      else if (code !== 0) problems.push(`a host ended with ${code ?? signal}: ${content.slice(0, 2_000)}`)
      if (reported.unusual.length > 0) problems.push(reported.unusual.join("\n").slice(0, 2_000))
    }
  }
  const keeping = keepHost()

  const begun = () => new Set(linesOf<AgentLine>(log).map(({ text }) => text))

  const run = async (own: Case) => {
    await isServing
    const { death } = own
    const before = kills
    if (own.fault !== "none") outside.fail(own.id, own.fault)
    if (death._tag === "Step") host?.stdin?.write(`${JSON.stringify(death)}\n`)
    const person = startPerson(outside, own, { hasButtons, filler: kind.filler }, (id) => begun().has(id))
    const open: Opened = { own, person, killsBefore: before }
    opened.push(open)
    const since = performance.now()
    const passed = () => performance.now() - since
    let isKilled = death._tag === "Step"
    while (!isOver() && passed() < patienceMs && !(person.isServed() && isKilled)) {
      await sleep(20)
      if (isKilled || death._tag === "Step" || passed() < death.ms) continue
      isKilled = true
      host?.kill("SIGKILL")
    }
  }

  const work = async () => {
    for (const own of casesOf(makeDice(seed, number), `${accountId}-`)) {
      if (isOver() || opened.length >= mostCases) return
      await run(own)
    }
  }

  /** No more kills: everything comes to its end. */
  const served = async () => {
    outside.calm()
    const until = performance.now() + lastMs
    while (performance.now() < until && !opened.every(({ person }) => person.isServed())) await sleep(50)
    // The last message may be repeated only now.
    await sleep(500)
  }

  const finish = async () => {
    isEnding = true
    host?.stdin?.end()
    const isEnded = await Promise.race([keeping.then(() => true), sleep(30_000, false)])
    if (!isEnded) problems.push(`the host of ${accountId} did not end within 30 s`)
    host?.kill("SIGKILL")
    const chats = opened.map(({ own, person, killsBefore }): ServedChat => {
      const served = {
        faults: outside.faultsOf(own.id),
        kills: kills - killsBefore,
        isServed: person.isServed()
      }
      person.close()
      return { ...person.chat(), ...served }
    })
    const violations = outside.violations()
    await outside.close()
    return { chats, violations, kills, lingered }
  }
  return { work, served, finish }
}

/** A turn may go on behind what a person has waited for: one that began again, with its answer there already. */
const quiet = (place: StoreRoom["store"]) =>
  Effect.gen(function* () {
    const store = Context.get(yield* Layer.build(Layer.fresh(layerOf(place))), Store)
    yield* Effect.repeat(openRows(store), {
      until: (rows) => rows.length === 0,
      schedule: Schedule.spaced("200 millis")
    })
  }).pipe(Effect.timeoutOption("30 seconds"))

const isAlive = ({ pid }: AgentLine, log: string) => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(log)
  } catch {
    return false
  }
}

export const runCampaign = (options: CampaignOptions, laneKinds: ReadonlyArray<LaneKind>) =>
  inStoreRoom(options, async (room) => {
    const { seconds, seed } = options
    const log = join(room.root, "agents.ndjson")
    const problems: Array<string> = []
    const until = performance.now() + seconds * 1000
    const campaign = { seed, room, log, problems, isOver: () => performance.now() > until }
    // A possible look-up takes half a minute.
    const kinds = seconds < 60 ? laneKinds.slice(0, 2) : laneKinds
    const lanes = await Promise.all([...kinds, ...kinds].map((kind, at) => startLane(kind, at + 1, campaign)))
    await Promise.all(lanes.map(({ work }) => work()))
    await Promise.all(lanes.map(({ served }) => served()))
    await Effect.runPromise(Effect.scoped(quiet(room.store)))
    const ended = await Promise.all(lanes.map(({ finish }) => finish()))
    const agent = linesOf<AgentLine>(log)
    const read = Effect.gen(function* () {
      const store = Context.get(yield* Layer.build(Layer.fresh(layerOf(room.store))), Store)
      return { open: yield* openRows(store), integrity: yield* integrityOf(store) }
    })
    const sum = (of: (lane: (typeof ended)[number]) => number) => ended.reduce((total, lane) => total + of(lane), 0)
    const logs: Logs = {
      ...{ agent, problems, ...(await Effect.runPromise(Effect.scoped(read))) },
      kills: sum(({ kills }) => kills),
      chats: ended.flatMap(({ chats }) => chats),
      violations: ended.flatMap(({ violations }) => violations),
      alive: agent.filter((line) => isAlive(line, log)).map(({ pid }) => pid)
    }
    return { logs, lingered: sum(({ lingered }) => lingered) }
  })
