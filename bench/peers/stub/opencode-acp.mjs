/**
 * `opencode acp`: JSON-RPC lines. As the real one it takes its tool with it on `session/cancel`, and ends with its
 * stdin. What becomes of a running tool then is not recorded: here it goes, too.
 */
import { createInterface } from "node:readline"
import { plan, say } from "./cell.mjs"
import { play, staysWithoutStdin } from "./play.mjs"
import { endTool } from "./tool.mjs"

const sessionId = "ses_1"
let prompt

const update = (fields) => ({ jsonrpc: "2.0", method: "session/update", params: { sessionId, update: fields } })
const answer = (id, result) => ({ jsonrpc: "2.0", id, result })

const format = {
  begin: () => [],
  text: (words) => [
    update({ sessionUpdate: "agent_message_chunk", messageId: "msg_1", content: { type: "text", text: words } })
  ],
  toolStart: (toolCallId) => [
    update({ sessionUpdate: "tool_call", toolCallId, title: "bash", kind: "execute", status: "pending", rawInput: {} })
  ],
  toolOutput: (toolCallId, output) =>
    update({
      sessionUpdate: "tool_call_update",
      toolCallId,
      status: "completed",
      content: [{ type: "content", content: { type: "text", text: output } }]
    }),
  result: () => [answer(prompt, { stopReason: "end_turn" })]
}

const greeting = {
  protocolVersion: 1,
  agentCapabilities: { loadSession: true, promptCapabilities: {} },
  authMethods: [],
  agentInfo: { name: "OpenCode", version: plan.version }
}

const methods = {
  initialize: (id) => say(answer(id, greeting)),
  "session/new": (id) => say(answer(id, { sessionId })),
  "session/prompt": (id) => {
    prompt = id
    play(format)
  },
  "session/cancel": () => {
    if (plan.fault === "deaf") return
    endTool()
    say(answer(prompt, { stopReason: "cancelled" }))
  }
}

if (plan.fault === "silent") play(format)
const input = createInterface({ input: process.stdin })
input.on("line", (line) => {
  if (plan.fault === "silent") return
  const { id, method } = JSON.parse(line)
  if (method in methods) return methods[method](id)
  if (id !== undefined) say({ jsonrpc: "2.0", id, error: { code: -32601, message: "Method not found" } })
})
input.on("close", () => {
  if (staysWithoutStdin) return
  endTool()
  process.exit(0)
})
