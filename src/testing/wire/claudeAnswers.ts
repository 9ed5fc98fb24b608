/** The model's answers as Claude Code prints them (2.1.328): blocks in messages, each as deltas and then whole. */
import { type Lines, timestamp } from "../dialect.ts"
import type { Fields } from "../Steps.ts"

/** The usage of a script's run is reported at its end, as a sum. */
export const noUsage = { input_tokens: 0, output_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 }

type Block =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "thinking"; readonly thinking: string; readonly signature: string }
  | { readonly type: "tool_use"; readonly id: string; readonly name: string; readonly input: unknown }

const emptied = (block: Block): Block => {
  if (block.type === "tool_use") return { ...block, input: {} }
  return block.type === "text" ? { ...block, text: "" } : { ...block, thinking: "", signature: "" }
}

/** `line` adds the fields of every line. */
export const makeAnswers = (line: (fields: Fields) => unknown, model: string) => {
  let messages = 0
  let blocks = 0
  let isOpen = false
  const messageId = () => `msg_${String(messages).padStart(4, "0")}`
  const message = (content: ReadonlyArray<Block>) => {
    const head = { id: messageId(), type: "message", role: "assistant", model }
    return { ...head, content, stop_reason: null, stop_sequence: null, usage: noUsage }
  }
  // Claude Code prints the members of `line` in this place.
  const event = (fields: Fields) =>
    line({
      type: "stream_event",
      event: fields,
      session_id: "",
      parent_tool_use_id: null,
      uuid: "",
      api_message_id: messageId()
    })

  /** Begins an answer, unless one is open. */
  const begin = (): Lines => {
    if (isOpen) return []
    isOpen = true
    messages++
    blocks = 0
    const requesting = line({ type: "system", subtype: "status", status: "requesting" })
    return [requesting, event({ type: "message_start", message: message([]) })]
  }

  const close = (stopReason: string): Lines => {
    if (!isOpen) return []
    isOpen = false
    const delta = { stop_reason: stopReason, stop_sequence: null }
    return [event({ type: "message_delta", delta, usage: noUsage }), event({ type: "message_stop" })]
  }

  const block = (content: Block, deltas: ReadonlyArray<Fields>): Lines => {
    const opening = begin()
    const index = blocks++
    return [
      ...opening,
      event({ type: "content_block_start", index, content_block: emptied(content) }),
      ...deltas.map((delta) => event({ type: "content_block_delta", index, delta })),
      line({ type: "assistant", message: message([content]), parent_tool_use_id: null, timestamp }),
      event({ type: "content_block_stop", index })
    ]
  }
  return { block, close }
}
