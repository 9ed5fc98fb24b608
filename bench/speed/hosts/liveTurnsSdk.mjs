/** Turns of `@anthropic-ai/claude-agent-sdk`. */
import { openSdk } from "./liveSdk.mjs"
import { measureTurns } from "./liveTurns.mjs"
import { task } from "./measure.mjs"

await measureTurns(await openSdk(task.command))
