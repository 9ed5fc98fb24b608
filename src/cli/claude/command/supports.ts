/**
 * Options that Claude Code (2.1.328) has. `shared`: for runs **and** live sessions, so that both command lines, or the dialogue,
 * must honour each of them.
 */
import type { AgentExecuteParams } from "../../../contract/AgentExecuteParams.ts"
import type { AgentOpenParams } from "../../../contract/AgentOpenParams.ts"

export const shared = [
  "sessionId",
  "forkSession",
  "newSessionId",
  "mcpServers",
  "strictMcpServers",
  "additionalDirectories",
  "trustWorkspace",
  "settingSources",
  "model",
  "fallbackModel",
  "effort",
  "systemPrompt",
  "appendSystemPrompt",
  "permissionMode",
  "allowedTools",
  "disallowedTools",
  "maxTurns",
  "maxBudgetUsd",
  "slashCommands",
  "extraArgs"
] as const satisfies ReadonlyArray<keyof AgentExecuteParams & keyof AgentOpenParams>

/** Any other would be ignored, with a warning on stderr alone. */
export const efforts: ReadonlyArray<string> = ["low", "medium", "high", "xhigh", "max"]
