/** An agent asks whether it may run a command. */
import type { AgentEvent } from "../../src/contract/AgentEvent.ts"

export const asksToClean: AgentEvent = {
  type: "permission_request",
  requestId: "r",
  toolId: "t",
  toolName: "Bash",
  kind: "command",
  input: { command: "make clean" },
  title: "make clean",
  command: "make clean",
  escalated: false,
  scopes: []
}
