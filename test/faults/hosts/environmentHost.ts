/**
 * A host of one run, which prints its events as JSON lines. Arguments: how it is hosted, the command of its agent
 * and the time limit. Without a command it only loads what it needs.
 */
import { mock } from "node:test"
import { isMainThread, Worker } from "node:worker_threads"
import { createAgent } from "reins/promise"

const [how, command = "", limitMs] = process.argv.slice(2)

const print = async () => {
  const agent = createAgent("claude", { command, baseArgs: [], killGrace: 200, timeouts: { total: Number(limitMs) } })
  try {
    for await (const event of agent.execute({ prompt: "hello" })) process.stdout.write(`${JSON.stringify(event)}\n`)
  } finally {
    await agent.close()
  }
}

/** As the page about testing says: `setImmediate` stays real. */
const printUnderFakeTimers = async () => {
  mock.timers.enable({ apis: ["setTimeout", "setInterval", "Date"] })
  let isOver = false
  const printed = print().finally(() => {
    isOver = true
  })
  while (!isOver) {
    await new Promise((go) => setImmediate(go))
    mock.timers.tick(1)
  }
  await printed
}

if (how === "worker" && isMainThread) new Worker(new URL(import.meta.url), { argv: process.argv.slice(2) })
else if (command !== "") await (how === "fakeTimers" ? printUnderFakeTimers() : print())
