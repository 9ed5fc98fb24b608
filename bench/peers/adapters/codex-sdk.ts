/** `@openai/codex-sdk`: a thread, `runStreamed`, its events read to the end; `signal` to abort. */
import { Codex } from "@openai/codex-sdk"
import type { Run } from "../adapter.ts"
import { nothingTold } from "../adapter.ts"

export const run: Run = async ({ command, directory, prompt, abort, take }) => {
  const codex = new Codex({ codexPathOverride: command })
  const thread = codex.startThread({
    workingDirectory: directory,
    skipGitRepoCheck: true,
    sandboxMode: "danger-full-access"
  })
  const { events } = await thread.runStreamed(prompt, { signal: abort.signal })
  let reported = nothingTold
  for await (const event of events) {
    if (event.type === "item.started" && event.item.type === "command_execution") await take({ kind: "tool" })
    if (event.type === "item.completed" && event.item.type === "agent_message") {
      await take({ kind: "text", text: event.item.text })
    }
    if (event.type === "item.completed" && event.item.type === "command_execution") {
      await take({ kind: "output", length: event.item.aggregated_output.length })
    }
    if (event.type === "turn.failed") reported = `turn.failed: ${event.error.message}`
    if (event.type !== "turn.completed") continue
    reported = event.type
    await take({ kind: "result" })
  }
  return reported
}
