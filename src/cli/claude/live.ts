/** How Claude Code holds a live session: one process, JSON lines both ways (2.1.328). */
import type { Live } from "../Live.ts"
import { inSessions } from "../supported.ts"
import { livePlan } from "./live/command.ts"
import { makeDialogue } from "./live/dialogue.ts"

export const live: Live = {
  supports: inSessions("claude"),
  plan: livePlan,
  dialogue: (params) => makeDialogue(params),
  hostTools: "dialogue",
  hostToolPrefixes: ["mcp__host__"],
  leavesAtEndOfInput: true
}
