/** Live sessions of OpenCode (1.18.33): `opencode acp`, the Agent Client Protocol on stdin and stdout. */
import { acpDialogue } from "../acp/live/dialogue.ts"
import type { Live } from "../Live.ts"
import { inSessions } from "../supported.ts"
import { livePlan } from "./live/command.ts"
import { opencodeFlavor } from "./live/flavor.ts"

export const live: Live = {
  supports: inSessions("opencode"),
  plan: livePlan,
  dialogue: acpDialogue(opencodeFlavor),
  hostTools: "server",
  hostToolPrefixes: ["host_"],
  leavesAtEndOfInput: true
}
