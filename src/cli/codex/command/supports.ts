/**
 * Options that Codex (0.169.0) has. `shared`: for runs **and** live sessions, so that both command lines, or the dialogue,
 * must honour each of them.
 */
import type { AgentExecuteParams } from "../../../contract/AgentExecuteParams.ts"
import type { AgentOpenParams } from "../../../contract/AgentOpenParams.ts"

export const shared = [
  "sessionId",
  "forkSession",
  "mcpServers",
  "additionalDirectories",
  "model",
  "effort",
  "systemPrompt",
  "appendSystemPrompt",
  "permissionMode",
  "extraArgs"
] as const satisfies ReadonlyArray<keyof AgentExecuteParams & keyof AgentOpenParams>

/** Any other would be sent to the model's server as it is. Not each model has all of them. */
export const efforts: ReadonlyArray<string> = ["none", "minimal", "low", "medium", "high", "xhigh", "max", "ultra"]
