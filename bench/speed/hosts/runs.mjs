/** Many runs of one agent at once, each as fast as it goes. */
import { createAgent } from "../../../dist/promise.js"
import { measure, task } from "./measure.mjs"

await measure(
  async () => {
    await using agent = createAgent("claude", { command: task.command })
    const runs = Array.from({ length: task.runs }, async () => {
      let told = "nothing"
      for await (const event of agent.execute({ prompt: "hello" }))
        if (event.type === "done") told = event.result.outcome
      return told
    })
    // Awaited here: the agent is closed when this function is left.
    return await Promise.all(runs)
  },
  (told) => ({ completed: told.filter((outcome) => outcome === "completed").length })
)
