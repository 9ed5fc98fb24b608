/** One run by the hand-written loop. */
import { runLoop } from "./loopClaude.mjs"
import { measure, task, whatWasRead } from "./measure.mjs"

await measure(() => runLoop(task.command), whatWasRead)
