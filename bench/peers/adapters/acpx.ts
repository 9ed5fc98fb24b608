/** `acpx/runtime` with `opencode acp`: one session, one turn; `cancel` and `shutdown` to abort, `shutdown` in any case. */
import { join } from "node:path"
import { createAcpRuntime, createAgentRegistry, createRuntimeStore } from "acpx/runtime"
import type { Run } from "../adapter.ts"

export const run: Run = async ({ command, directory, prompt, abort, timeoutMs, take }) => {
  const runtime = createAcpRuntime({
    cwd: directory,
    sessionStore: createRuntimeStore({ stateDir: join(directory, "acpx") }),
    agentRegistry: createAgentRegistry({ overrides: { opencode: [command, "acp"] } }),
    permissionMode: "approve-all",
    ...(timeoutMs === undefined ? {} : { timeoutMs })
  })
  try {
    const handle = await runtime.ensureSession({ sessionKey: "bench", agent: "opencode", mode: "oneshot" })
    const turn = runtime.startTurn({ handle, text: prompt, mode: "prompt", requestId: "1" })
    abort.signal.addEventListener("abort", () => turn.cancel({ reason: "abort" }).finally(() => runtime.shutdown()))
    for await (const event of turn.events) {
      if (event.type === "text_delta" && event.stream !== "thought") await take({ kind: "text", text: event.text })
      if (event.type !== "tool_call") continue
      const length = JSON.stringify(event.content ?? "").length
      await take(event.status === "completed" ? { kind: "output", length } : { kind: "tool" })
    }
    const result = await turn.result
    await take({ kind: "result" })
    return result.status === "failed" ? `failed: ${result.error.message}` : `${result.status}: ${result.stopReason}`
  } finally {
    await runtime.shutdown()
  }
}
