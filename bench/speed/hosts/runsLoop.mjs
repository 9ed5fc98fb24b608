/** Runs of the hand-written loop. */
import { runLoop } from "./loopClaude.mjs"
import { measureRuns } from "./manyRuns.mjs"
import { task } from "./measure.mjs"

await measureRuns(async () => (await runLoop(task.command)).told)
