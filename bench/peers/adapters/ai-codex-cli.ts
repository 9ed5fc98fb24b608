/** `ai-sdk-provider-codex-cli` in its mode `codexExec`, through the AI SDK. */
import { createCodexExec } from "ai-sdk-provider-codex-cli"
import type { Run } from "../adapter.ts"
import { throughAi } from "./ai.ts"

export const run: Run = (task) => {
  const provider = createCodexExec({
    defaultSettings: {
      codexPath: task.command,
      cwd: task.directory,
      skipGitRepoCheck: true,
      dangerouslyBypassApprovalsAndSandbox: true
    }
  })
  return throughAi(provider("gpt-6-astra"), task)
}
