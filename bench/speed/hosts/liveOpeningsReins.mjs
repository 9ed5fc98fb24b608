/** Openings by Reins, plain door. */
import { measureOpenings } from "./liveOpenings.mjs"
import { makeOpen } from "./liveReins.mjs"
import { task } from "./measure.mjs"

await measureOpenings(makeOpen(task.command))
