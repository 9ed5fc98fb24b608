/** Options that OpenCode (1.18.33) has, for a run and for a live session. */

import type { AgentExecuteParams } from "../../../contract/AgentExecuteParams.ts"
import type { AgentOpenParams } from "../../../contract/AgentOpenParams.ts"

export const shared = [
  "sessionId",
  "forkSession",
  "mcpServers",
  "additionalDirectories",
  "trustWorkspace",
  "model",
  "effort",
  "systemPrompt",
  "appendSystemPrompt",
  "permissionMode",
  "allowedTools",
  "disallowedTools",
  "slashCommands",
  "extraArgs"
] as const satisfies ReadonlyArray<keyof AgentExecuteParams & keyof AgentOpenParams>
