/** How Codex holds a live session: one `app-server`, one thread, JSON lines both ways (0.169.0). */
import type { Live } from "../Live.ts"
import { makeDialogue } from "./dialogue.ts"
import { livePlan } from "./liveCommand.ts"
import { shared } from "./supports.ts"

export const live: Live = {
  supports: new Set([...shared, "tools"]),
  plan: livePlan,
  dialogue: makeDialogue,
  hostTools: "dialogue",
  leavesAtEndOfInput: true
}
