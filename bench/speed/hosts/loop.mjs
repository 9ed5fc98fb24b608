/** One run by the hand-written loop. */
import { runLoop } from "./loopClaude.mjs"
import { digest, measure, task } from "./measure.mjs"

await measure(async () => {
  const seen = await runLoop(task.command)
  return { ...seen, text: digest(seen.text) }
})
