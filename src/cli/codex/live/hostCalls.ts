/**
 * Functions of the host as dynamic tools of Codex (0.169.0), in their own name space. Codex calls them by a request of the
 * dialogue, which becomes a message of MCP, and the answer is converted back: no server is needed.
 */
import { Predicate } from "effect"
import type { AgentOpenParams } from "../../../contract/AgentOpenParams.ts"
import { hostServer } from "../../../contract/HostTool.ts"
import { at, listAt } from "../../jsonFields.ts"
import type { Output } from "../../Live.ts"
import type { Outputs } from "../../outputs.ts"
import { textIn } from "../../toolInputs.ts"

/** Part of `thread/start`; a thread keeps them permanently. */
export const dynamicTools = (tools: NonNullable<AgentOpenParams["tools"]>) => [
  {
    type: "namespace",
    name: hostServer,
    description: "Functions of the program that this session runs in",
    tools: tools.map(({ name, description, inputSchema }) => ({
      type: "function",
      name,
      description,
      inputSchema: { ...inputSchema, type: "object" }
    }))
  }
]

const callMessage = (id: string, name: string, input: unknown) => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name, arguments: Predicate.isObject(input) ? input : {} }
})

export const failed = (text: string) => ({ contentItems: [{ type: "inputText", text }], success: false })

const itemOf = (part: unknown) => {
  const [data, mimeType] = [textIn(part, "data"), textIn(part, "mimeType")]
  if (at(part, "type") === "image" && data !== undefined && mimeType !== undefined) {
    return { type: "inputImage", imageUrl: `data:${mimeType};base64,${data}` }
  }
  return { type: "inputText", text: textIn(part, "text") ?? JSON.stringify(part) ?? "" }
}

/** The answer of MCP → that of Codex. An error of the dialogue would reach the model without its words. */
export const callResult = (reply: unknown) => {
  const result = at(reply, "result")
  if (result === undefined) return failed(textIn(at(reply, "error"), "message") ?? "The function gave no answer")
  return { contentItems: listAt(result, "content").map(itemOf), success: at(result, "isError") !== true }
}

const greeting = "mcp-initialize"
const greeted = "mcp-initialized"

const initialize = {
  jsonrpc: "2.0",
  id: greeting,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "reins", version: "0.0.0" } }
}

const mcp = (callId: string, message: unknown): Output => ({ _tag: "McpCalled", callId, message })

export interface HostCalls {
  readonly call: (callId: string, name: string, input: unknown) => Outputs
  /** Returns undefined if it is the answer to a call. */
  readonly greeted: (callId: string) => Outputs | undefined
}

/** The server of the host requires an initialization before the first call; calls wait for it. */
export const makeHostCalls = (): HostCalls => {
  let waiting: Array<Output> | undefined = []
  let hasGreeted = false
  return {
    call: (callId, name, input) => {
      const called = mcp(callId, callMessage(callId, name, input))
      if (waiting === undefined) return [called]
      waiting.push(called)
      if (hasGreeted) return []
      hasGreeted = true
      return [mcp(greeting, initialize)]
    },
    greeted: (callId) => {
      if (callId === greeted) return []
      if (callId !== greeting) return undefined
      const calls = waiting ?? []
      waiting = undefined
      return [mcp(greeted, { jsonrpc: "2.0", method: "notifications/initialized" }), ...calls]
    }
  }
}
