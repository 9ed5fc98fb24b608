/** Live sessions of any agent of the Agent Client Protocol, version 1, with the flavor for an unknown one. */
import type { Live } from "../Live.ts"
import { inSessions } from "../supported.ts"
import { plan } from "./command.ts"
import { acpDialogue } from "./live/dialogue.ts"
import { genericFlavor } from "./live/generic.ts"

export const liveOf = (id: string): Live => ({
  supports: inSessions("acp"),
  plan,
  dialogue: acpDialogue(genericFlavor(id)),
  hostTools: "server",
  // Of an unknown agent: each form that is known.
  hostToolPrefixes: ["mcp__host__", "mcp_host_", "host_"],
  leavesAtEndOfInput: true
})
