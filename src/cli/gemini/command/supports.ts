/** Options that Gemini CLI (0.61.0) has, for a run and for a live session. */

import type { AgentExecuteParams } from "../../../contract/AgentExecuteParams.ts"
import type { AgentOpenParams } from "../../../contract/AgentOpenParams.ts"

export const shared = [
  "sessionId",
  "mcpServers",
  "strictMcpServers",
  "additionalDirectories",
  "trustWorkspace",
  "model",
  "systemPrompt",
  "permissionMode",
  "allowedTools",
  "disallowedTools",
  "maxTurns",
  "slashCommands",
  "extraArgs"
] as const satisfies ReadonlyArray<keyof AgentExecuteParams & keyof AgentOpenParams>
