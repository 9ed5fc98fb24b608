import { openLoop } from "./liveLoop.mjs"
import { measureOpenings } from "./liveOpenings.mjs"
import { task } from "./measure.mjs"

await measureOpenings(() => openLoop(task.command))
