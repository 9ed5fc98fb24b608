/**
 * A host in a container: many small runs whose agents leave shells, then some that stay until SIGTERM. Tells how many
 * processes there are, how many have ended without being reaped, and the heap, in MiB, every hundredth of its way.
 */
import { readdirSync, readFileSync } from "node:fs"
import { setTimeout as sleep } from "node:timers/promises"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { createAgent } from "../../../src/promise.ts"

const [count = "", command = ""] = process.argv.slice(2)
const lanes = 4

setFlagsFromString("--expose-gc")
const gc: () => void = runInNewContext("gc")

const agent = createAgent("claude", { command, baseArgs: [] })
const tell = (facts: object) => process.stdout.write(`${JSON.stringify(facts)}\n`)

const states = () =>
  readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name)) return []
    try {
      const stat = readFileSync(`/proc/${name}/stat`, "latin1")
      return [stat.slice(stat.lastIndexOf(")") + 2)[0]]
    } catch {
      return [] // it has ended
    }
  })

/** An entry that nothing reaps never goes. */
const settled = async (most: number) => {
  for (let round = 0; round < 100 && states().length > most; round++) await sleep(20)
  gc()
  const found = states()
  const ended = found.filter((state) => state === "Z").length
  return { processes: found.length, ended, heapMiB: process.memoryUsage().heapUsed / 1024 / 1024 }
}

/** This one, process 1, and the reaper. */
const own = 3
let outcomes = 0
const lane = async (runs: number) => {
  for (let run = 0; run < runs; run++) if ((await agent.run({ prompt: "hello" })).outcome === "completed") outcomes += 1
}

const steps = 5
for (let step = 1; step <= steps; step++) {
  await Promise.all(Array.from({ length: lanes }, () => lane(Number(count) / steps / lanes)))
  tell({ outcomes, ...(await settled(own)) })
}

const stopping = new AbortController()
process.once("SIGTERM", () => stopping.abort())
const staying = Array.from({ length: lanes }, () =>
  agent.run({ prompt: "stay", abortSignal: stopping.signal }).catch(() => {})
)
tell({ isWaiting: true })
await Promise.all(staying)
await agent[Symbol.asyncDispose]()
tell({ isDrained: true, ...(await settled(own)) })
