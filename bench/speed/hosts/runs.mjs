/** Runs of one agent, which is closed with the last of them. */
import { createAgent } from "../../../dist/promise.js"
import { measureRuns } from "./manyRuns.mjs"
import { task } from "./measure.mjs"

const makeAgent = () => createAgent("claude", { command: task.command })
/** @type {ReturnType<typeof makeAgent> | undefined} */
let made
let open = task.runs

await measureRuns(async () => {
  made ??= makeAgent()
  const agent = made
  let reported = "nothing"
  for await (const event of agent.execute({ prompt: "hello" }))
    if (event.type === "done") reported = event.result.outcome === "completed" ? "success" : event.result.reason
  open -= 1
  if (open === 0) await agent.close()
  return reported
})
