/** How Codex holds a live session: one `app-server`, one thread, JSON lines both ways (0.169.0). */
import type { Live } from "../Live.ts"
import { inSessions } from "../supported.ts"
import { livePlan } from "./live/command.ts"
import { makeDialogue } from "./live/dialogue.ts"

export const live: Live = {
  supports: inSessions("codex"),
  plan: livePlan,
  dialogue: makeDialogue,
  takesOutputSchema: true,
  hostTools: "dialogue",
  hostToolPrefixes: ["mcp__host__"],
  leavesAtEndOfInput: true
}
