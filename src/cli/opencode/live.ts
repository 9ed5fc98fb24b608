/** Live sessions of OpenCode (1.18.33): `opencode acp`, the Agent Client Protocol on stdin and stdout. */
import { acpDialogue } from "../acp/dialogue.ts"
import type { Live } from "../Live.ts"
import { opencodeFlavor } from "./flavor.ts"
import { livePlan } from "./liveCommand.ts"
import { shared } from "./supports.ts"

export const live: Live = {
  supports: new Set([...shared, "tools"]),
  plan: livePlan,
  dialogue: acpDialogue(opencodeFlavor),
  hostTools: "server",
  leavesAtEndOfInput: true
}
