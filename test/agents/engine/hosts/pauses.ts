/** A host whose consumer pauses after the first event until the CLI has gone, and then takes the rest. */
import { readdirSync } from "node:fs"
import { setImmediate as turn } from "node:timers/promises"
import type { AgentEvent } from "reins/promise"
import { createAgent } from "reins/promise"

const baseArgs = process.argv.slice(2)
await using agent = createAgent("claude", { command: process.execPath, baseArgs })
const events = agent.execute({ prompt: "hello" })[Symbol.asyncIterator]()
const collect = globalThis.gc ?? (() => {})
const rss = () => {
  collect()
  return process.memoryUsage().rss / 1_000_000
}

const isAlive = (pid: number) => readdirSync("/proc").includes(String(pid))

const first = await events.next()
const session = first.value?.type === "session" ? first.value.sessionId : ""
const pid = Number(session.split("-")[1])
const before = rss()
let most = before
while (isAlive(pid)) {
  await turn()
  most = Math.max(most, process.memoryUsage().rss / 1_000_000)
}
const paused = rss()

let order = 0
let inOrder = true
let last: AgentEvent | undefined
for (let next = await events.next(); next.done !== true; next = await events.next()) {
  last = next.value
  if (last.type !== "unknown") continue
  inOrder &&= (last.raw as { readonly nth: number }).nth === order // what the program prints
  order += 1
}
const outcome = last?.type === "done" ? last.result.outcome : last?.type
console.log(
  JSON.stringify({ grownMb: Math.round(paused - before), mostMb: Math.round(most - before), order, inOrder, outcome })
)
