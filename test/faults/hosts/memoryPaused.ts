/**
 * A host whose consumer pauses after the first event until the CLI has gone, and then takes the rest: once
 * as a warm-up, and once while its memory is watched. Tells as JSON what it has seen.
 */
import { createHash } from "node:crypto"
import { readdirSync, readlinkSync, statSync } from "node:fs"
import { setTimeout as sleep } from "node:timers/promises"
import { type CliId, clis } from "../../../src/agents/Agents.ts"
import { createAgent } from "../../../src/promise.ts"
import { makeSampler, type Sampler } from "./memorySampler.ts"

const isCliId = (name: string): name is CliId => Object.hasOwn(clis, name)

const [id = "", ...program] = process.argv.slice(2)
if (!isCliId(id)) throw new Error(`no CLI: ${id}`)

/** Sizes of the spill files that this process holds open. They have no name any more. */
const spilledBytes = () =>
  readdirSync("/proc/self/fd").flatMap((fd) => {
    try {
      const path = `/proc/self/fd/${fd}`
      return readlinkSync(path).includes("reins-spill-") ? [statSync(path).size] : []
    } catch {
      return []
    }
  })

const isAlive = (pid: number) => readdirSync("/proc").includes(String(pid))

const run = async (megabytes: number, sampler: Sampler) => {
  const baseArgs = [...program, `--cli=${id}`, `--megabytes=${megabytes}`]
  await using agent = createAgent(id, { command: process.execPath, baseArgs })
  const events = agent.execute({ prompt: "hello" })[Symbol.asyncIterator]()
  const first = await events.next()
  const pid = first.value?.type === "session" ? Number(first.value.sessionId.split("-")[1]) : 0
  let spilled = 0
  while (isAlive(pid)) {
    await sleep(5)
    spilled = Math.max(spilled, ...spilledBytes())
  }
  const paused = sampler.grown()
  let count = 0
  const hash = createHash("sha256")
  let answer = ""
  for (let next = await events.next(); next.done !== true; next = await events.next()) {
    const event = next.value
    if (event.type === "done") answer = event.result.text
    if (event.type !== "tool_result") continue
    hash.update(event.toolId + event.output)
    count += 1
  }
  const taken = sampler.grown()
  return { printed: answer, delivered: `${count} ${hash.digest("hex")}`, spilled, left: spilledBytes(), paused, taken }
}

await run(150, makeSampler())
console.log(JSON.stringify(await run(500, makeSampler())))
