/** What Codex (0.169.0) can be asked for, in a run and in a live session. */

import type { AgentExecuteParams } from "../../AgentExecuteParams.ts"
import type { AgentOpenParams } from "../../AgentOpenParams.ts"

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
