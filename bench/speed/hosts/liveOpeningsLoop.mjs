/** Openings by the hand-written loop. */
import { openLoop } from "./liveLoop.mjs"
import { measureOpenings } from "./liveOpenings.mjs"
import { task } from "./measure.mjs"

await measureOpenings(() => openLoop(task.command))
