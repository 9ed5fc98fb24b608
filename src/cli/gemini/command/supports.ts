/** What Gemini CLI (0.61.0) can be asked for, in a run and in a live session. */

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
