/** Openings by `@anthropic-ai/claude-agent-sdk`. */
import { measureOpenings } from "./liveOpenings.mjs"
import { openSdk } from "./liveSdk.mjs"
import { task } from "./measure.mjs"

await measureOpenings(() => openSdk(task.command))
