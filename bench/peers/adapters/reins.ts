/** Reins, the plain door, as it was built last. */
import { createAgent } from "../../../dist/promise.js"
import type { Run } from "../adapter.ts"
import { nothingTold } from "../adapter.ts"

const through =
  (cli: "claude" | "codex" | "opencode"): Run =>
  async ({ command, directory: workingDirectory, prompt, abort, timeoutMs, take }) => {
    await using agent = createAgent(cli, { command, timeouts: { startup: timeoutMs } })
    const params = { prompt, workingDirectory, abortSignal: abort.signal, permissionMode: "bypass" } as const
    let reported = nothingTold
    for await (const event of agent.execute(params)) {
      if (event.type === "text") await take({ kind: "text", text: event.text })
      if (event.type === "tool_use") await take({ kind: "tool" })
      if (event.type === "tool_result") await take({ kind: "output", length: event.output.length })
      if (event.type === "notice") await take({ kind: "notice", text: event.kind })
      if (event.type !== "done") continue
      const { outcome, reason, exit } = event.result
      const signal = exit !== undefined && "signal" in exit ? ` (${exit.signal})` : ""
      reported = outcome === reason ? outcome : `${outcome}: ${reason}${reason === "killed" ? signal : ""}`
      await take({ kind: "result" })
    }
    return reported
  }

export const claude = through("claude")
export const codex = through("codex")
export const opencode = through("opencode")
