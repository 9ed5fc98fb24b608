/**
 * Options that Gemini CLI (0.61.0) has. `shared`: for runs **and** live sessions, so that both command lines, or the dialogue,
 * must honour each of them.
 */
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
