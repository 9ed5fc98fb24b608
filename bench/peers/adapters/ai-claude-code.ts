/** `ai-sdk-provider-claude-code`, through the AI SDK. */
import { createClaudeCode } from "ai-sdk-provider-claude-code"
import type { Run } from "../adapter.ts"
import { throughAi } from "./ai.ts"

export const run: Run = (task) => {
  const provider = createClaudeCode({
    defaultSettings: {
      pathToClaudeCodeExecutable: task.command,
      cwd: task.directory,
      permissionMode: "bypassPermissions",
      allowDangerouslySkipPermissions: true
    }
  })
  return throughAi(provider("sonnet"), task)
}
