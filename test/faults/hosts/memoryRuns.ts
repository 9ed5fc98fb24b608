/**
 * A host of many small runs one after the other, of all CLIs in turn, by both ways to run, under one signal. After each
 * round it looks at what it holds; at its end it tells that as JSON.
 */
import { getEventListeners } from "node:events"
import { readdirSync } from "node:fs"
import { setTimeout as sleep } from "node:timers/promises"
import { createAgent } from "../../../src/promise.ts"

const [rounds = "", ...recordings] = process.argv.slice(2)
const script = 'cat > /dev/null; cat "$RECORDING"'
const ids = ["claude", "gemini", "codex", "opencode", "pi"] as const
const agents = ids.map((id, index) =>
  createAgent(id, {
    command: "/bin/sh",
    baseArgs: ["-c", script],
    env: { values: { RECORDING: recordings[index] } }
  })
)

const warnings: Array<string> = []
process.on("warning", ({ name, message }) => warnings.push(`${name}: ${message}`))
const controller = new AbortController()
const params = { prompt: "hello", abortSignal: controller.signal }

const patienceMs = 10_000
const activeResources = () => process.getActiveResourcesInfo().sort().join(" ")

/** Things that a run has closed, such as the stdin of its process, are gone some turns of the event loop later. */
const held = async (resources?: string) => {
  const deadline = performance.now() + patienceMs
  const isSettled = () =>
    resources === undefined ? !/Process|FSReq|Shutdown/.test(activeResources()) : activeResources() === resources
  while (!isSettled() && performance.now() < deadline) await sleep(5)
  return {
    descriptors: readdirSync("/proc/self/fd").length,
    resources: activeResources(),
    listeners: getEventListeners(controller.signal, "abort").length
  }
}

const heap = () => {
  globalThis.gc?.()
  return process.memoryUsage().heapUsed
}

let completed = 0
const heaps: Array<number> = []
let afterTen: Awaited<ReturnType<typeof held>> | undefined
for (let round = 0; round < Number(rounds); round++) {
  for (const agent of agents) {
    if (round % 2 === 0) {
      for await (const event of agent.execute(params)) {
        if (event.type === "done" && event.result.outcome === "completed") completed += 1
      }
    } else {
      if ((await agent.run(params)).outcome === "completed") completed += 1
    }
    if (completed === 10) afterTen = await held()
  }
  if (round % 5 === 4) heaps.push(heap())
}
const atEnd = await held(afterTen?.resources)
console.log(JSON.stringify({ completed, warnings, heaps, afterTen, atEnd }))
for (const agent of agents) await agent.close()
