/** The wire lines of Claude Code, one function a kind; what a made-up run is printed with. */
import { Schema } from "effect"

export type Json = Readonly<Record<string, unknown>>

export const asideKinds = [
  "sub-text",
  "sub-thinking",
  "sub-tool",
  "sub-prompt",
  "ping",
  "status",
  "tokens",
  "retry"
] as const
type AsideKind = (typeof asideKinds)[number]

export const sessionId = "5e551011-0000-4000-8000-000000000000"

const Text = Schema.Union([Schema.String, Schema.Literals(["", "a", "same", "same", "ä🎉", "x\n", "\u2028", "👩‍👩‍👧"])])

/** A text comes in pieces, the deltas. */
export const Block = Schema.Union([
  Schema.Struct({ kind: Schema.Literals(["text", "text", "thinking"]), pieces: Schema.Array(Text) }),
  Schema.Struct({ kind: Schema.Literals(["tool", "redacted"]) })
])
export type Block = typeof Block.Type

export const textOf = (block: Block) => ("pieces" in block ? block.pieces.join("") : "")

export const wholeOf = (block: Block, id: string) => {
  if (block.kind === "tool") return { type: "tool_use", id, name: "Bash", input: { command: "true" } }
  if (block.kind === "redacted") return { type: "redacted_thinking", data: "ZGF0YQ==" }
  return block.kind === "text"
    ? { type: "text", text: textOf(block) }
    : { type: "thinking", thinking: textOf(block), signature: "c2ln" }
}

export const assistant = (id: string, block: Json, parent_tool_use_id: string | null = null): Json => ({
  type: "assistant",
  message: { id, type: "message", role: "assistant", model: "m", content: [block], stop_reason: null },
  parent_tool_use_id,
  session_id: sessionId
})

export const stream = (api_message_id: string, event: Json, more: Json = {}): Json => ({
  type: "stream_event",
  event,
  session_id: sessionId,
  parent_tool_use_id: null,
  api_message_id,
  ...more
})

export const start = (id: string, index: number, block: Block): Json => {
  const empty = { text: { text: "" }, thinking: { thinking: "", signature: "" }, tool: { input: {} }, redacted: {} }
  const type = { text: "text", thinking: "thinking", tool: "tool_use", redacted: "redacted_thinking" }[block.kind]
  return stream(id, { type: "content_block_start", index, content_block: { type, ...empty[block.kind] } })
}

export const deltas = (id: string, index: number, block: Block, count: number): ReadonlyArray<Json> => {
  if (!("pieces" in block)) return []
  return block.pieces.slice(0, count).map((piece) => {
    const delta =
      block.kind === "text" ? { type: "text_delta", text: piece } : { type: "thinking_delta", thinking: piece }
    return stream(id, { type: "content_block_delta", index, delta })
  })
}

export const aside = (what: AsideKind, serial: number): Json => {
  const parent = "toolu_parent"
  const id = `sub_${serial}`
  switch (what) {
    case "sub-text":
      return assistant(id, { type: "text", text: "said by a sub-agent" }, parent)
    case "sub-thinking":
      return assistant(id, { type: "thinking", thinking: "thought by a sub-agent" }, parent)
    case "sub-tool":
      return assistant(id, { type: "tool_use", id: `toolu_${id}`, name: "Read", input: {} }, parent)
    case "sub-prompt":
      return {
        type: "user",
        message: { role: "user", content: "a task" },
        parent_tool_use_id: parent,
        session_id: sessionId
      }
    case "ping":
      return { type: "stream_event", event: { type: "ping" }, session_id: sessionId, parent_tool_use_id: null }
    case "status":
      return { type: "system", subtype: "status", status: "requesting", session_id: sessionId }
    case "tokens":
      return { type: "system", subtype: "thinking_tokens", estimated_tokens: 1, session_id: sessionId }
    case "retry":
      return {
        type: "system",
        subtype: "api_retry",
        attempt: 1,
        max_retries: 10,
        retry_delay_ms: 500,
        session_id: sessionId
      }
  }
}
