/** `@instantlyeasy/claude-code-sdk-ts`: `query`, read to its end; `signal` to abort. It finds `claude` on PATH. */
import { query } from "@instantlyeasy/claude-code-sdk-ts"
import type { Run } from "../adapter.ts"
import { nothingTold } from "../adapter.ts"

export const run: Run = async ({ directory, prompt, abort, timeoutMs, take }) => {
  const messages = query(prompt, {
    cwd: directory,
    signal: abort.signal,
    permissionMode: "bypassPermissions",
    ...(timeoutMs === undefined ? {} : { timeout: timeoutMs })
  })
  let reported = nothingTold
  for await (const message of messages) {
    if (message.type === "assistant") {
      for (const block of message.content) {
        if (block.type === "text") await take({ kind: "text", text: block.text })
        if (block.type === "tool_use") await take({ kind: "tool" })
      }
    }
    if (message.type !== "result") continue
    reported = message.subtype ?? "result"
    await take({ kind: "result" })
  }
  return reported
}
