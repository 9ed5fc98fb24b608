/** A crowd of runs of one agent of Reins, plain door. */
import { createAgent } from "../../../dist/promise.js"
import { measureCrowd } from "./crowd.mjs"
import { task } from "./measure.mjs"

const agent = createAgent("claude", { command: task.command })

await measureCrowd(async (pipe, received) => {
  const env = { REINS_BENCH_PIPE: pipe }
  for await (const event of agent.execute({ prompt: "hello", env })) if (event.type === "text") received(event.text)
})
