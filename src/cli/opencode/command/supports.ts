/**
 * Options that OpenCode (1.18.33) has. `shared`: for runs **and** live sessions, so that both command lines, or the dialogue,
 * must honour each of them.
 */
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
