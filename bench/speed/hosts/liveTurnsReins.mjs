/** Turns of Reins, plain door. */
import { makeOpen } from "./liveReins.mjs"
import { measureTurns } from "./liveTurns.mjs"
import { task } from "./measure.mjs"

await measureTurns(await makeOpen(task.command)())
