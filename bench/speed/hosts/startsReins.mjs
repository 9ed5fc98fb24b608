/** Starts of Reins, plain door. */
import { createAgent } from "../../../dist/promise.js"
import { task } from "./measure.mjs"
import { measureStarts } from "./starts.mjs"

const agent = createAgent("claude", { command: task.command })

await measureStarts(async ({ event, done }) => {
  for await (const { type } of agent.execute({ prompt: "hello", env: { REINS_BENCH_PIPE: task.pipe } })) {
    event()
    if (type === "done") done()
  }
})
