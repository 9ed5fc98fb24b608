/** `@anthropic-ai/claude-agent-sdk`: `query`, read to its end; `options.abortController` to abort. */
import { query } from "@anthropic-ai/claude-agent-sdk"
import type { Run } from "../adapter.ts"
import { nothingTold } from "../adapter.ts"

export const run: Run = async ({ command, directory, prompt, abort, take }) => {
  const messages = query({
    prompt,
    options: {
      pathToClaudeCodeExecutable: command,
      cwd: directory,
      abortController: abort,
      permissionMode: "bypassPermissions",
      allowDangerouslySkipPermissions: true
    }
  })
  let reported = nothingTold
  for await (const message of messages) {
    if (message.type === "assistant") {
      for (const block of message.message.content) {
        if (block.type === "text") await take({ kind: "text", text: block.text })
        if (block.type === "tool_use") await take({ kind: "tool" })
      }
    }
    if (message.type === "user" && Array.isArray(message.message.content)) {
      for (const block of message.message.content) {
        if (block.type === "tool_result") await take({ kind: "output", length: String(block.content).length })
      }
    }
    if (message.type !== "result") continue
    reported = message.subtype
    await take({ kind: "result" })
  }
  return reported
}
