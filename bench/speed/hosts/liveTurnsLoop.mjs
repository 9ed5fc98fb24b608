/** Turns of the hand-written loop. */
import { openLoop } from "./liveLoop.mjs"
import { measureTurns } from "./liveTurns.mjs"
import { task } from "./measure.mjs"

await measureTurns(await openLoop(task.command))
