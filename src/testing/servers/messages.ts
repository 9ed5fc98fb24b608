/** The Messages API, for Claude Code (2.1.328). */
import type { Block, Message, Usage } from "./Answer.ts"
import { inPieces, padded, sse } from "./reply.ts"
import type { Protocol, Received, ReplyTo, RequestHeaders, RequestKind, RequestParts, Wire } from "./request.ts"

interface MessagesBlock {
  readonly type: string
  readonly text?: string
  readonly tool_use_id?: string
  readonly content?: string | ReadonlyArray<MessagesBlock>
  readonly is_error?: boolean
  readonly [field: string]: unknown
}

type Content = string | ReadonlyArray<MessagesBlock> | undefined

/** The body of a request for the Messages API: what scripts look at is typed, the rest is as it came. */
export interface MessagesBody {
  readonly model: string
  readonly messages: ReadonlyArray<{
    readonly role: "user" | "assistant" | "system"
    readonly content: string | ReadonlyArray<MessagesBlock>
  }>
  readonly system?: string | ReadonlyArray<MessagesBlock>
  readonly tools?: ReadonlyArray<{ readonly name: string; readonly [field: string]: unknown }>
  readonly max_tokens: number
  readonly stream?: boolean
  readonly output_config?: { readonly effort?: string; readonly [field: string]: unknown }
  readonly [field: string]: unknown
}

/** Claude Code (2.1.328): a header marks sub-agents, `max_tokens` probes; titles have a format, and no tools. */
const kindOf = (headers: RequestHeaders, body: MessagesBody): RequestKind => {
  if (headers["x-claude-code-agent-id"] !== undefined) return "agent"
  if (body.max_tokens <= 1) return "side"
  const hasTools = (body.tools?.length ?? 0) > 0
  return !hasTools && body.output_config?.["format"] !== undefined ? "side" : "main"
}

const blocksOf = (content: Content): ReadonlyArray<MessagesBlock> =>
  typeof content === "string" ? [{ type: "text", text: content }] : (content ?? [])

const textOf = (content: Content, separator = ""): string =>
  blocksOf(content)
    .map((block) => block.text ?? "")
    .join(separator)

const readMessages = ({ method, path, headers, body: text }: Received): RequestParts<MessagesBody> | undefined => {
  if (method !== "POST" || path !== "/v1/messages") return undefined
  const body: MessagesBody = JSON.parse(text)
  const prompts = body.messages.filter((message) => message.role === "user")
  return {
    kind: kindOf(headers, body),
    model: body.model,
    stream: body.stream === true,
    // Without the reminders that the CLI adds.
    prompts: prompts
      .flatMap((message) => blocksOf(message.content))
      .flatMap((block) => (block.type === "text" ? [block.text ?? ""] : []))
      .filter((words) => !words.startsWith("<system-reminder>")),
    systemPrompt: textOf(body.system, "\n"),
    toolNames: (body.tools ?? []).map((tool) => tool.name),
    toolResults: body.messages
      .flatMap((message) => blocksOf(message.content))
      .filter((block) => block.type === "tool_result")
      .map((block) => ({ id: block.tool_use_id ?? "", text: textOf(block.content), isError: block.is_error === true })),
    body
  }
}

const errorTypes: Readonly<Record<number, string>> = {
  400: "invalid_request_error",
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  529: "overloaded_error"
}

const signature = "c2lnbmF0dXJl"
const event = (type: string, fields: Readonly<Record<string, unknown>>): string => sse({ type, ...fields }, type)

const usageOf = (usage: Usage) => ({
  input_tokens: usage.inputTokens,
  output_tokens: usage.outputTokens,
  cache_read_input_tokens: usage.cacheReadTokens,
  cache_creation_input_tokens: usage.cacheWriteTokens
})

const whole = (to: ReplyTo, block: Block, index: number) => {
  if (block.type === "text") return { type: "text", text: block.text }
  if (block.type === "thinking") return { type: "thinking", thinking: block.text, signature }
  const { name, input, id = `toolu_${padded(to.serial)}_${index}` } = block
  return { type: "tool_use", id, name, input }
}

const opened = (to: ReplyTo, block: Block, index: number) => {
  if (block.type === "text") return { type: "text", text: "" }
  if (block.type === "thinking") return { type: "thinking", thinking: "", signature: "" }
  return { ...whole(to, block, index), input: {} }
}

const deltas = (block: Block): ReadonlyArray<unknown> => {
  if (block.type === "text") {
    return (block.pieces ?? inPieces(block.text)).map((text) => ({ type: "text_delta", text }))
  }
  if (block.type === "thinking") {
    const thoughts = inPieces(block.text).map((thinking) => ({ type: "thinking_delta", thinking }))
    return [...thoughts, { type: "signature_delta", signature }]
  }
  return inPieces(JSON.stringify(block.input)).map((words) => ({ type: "input_json_delta", partial_json: words }))
}

const blockEvents = (to: ReplyTo, block: Block, index: number, isOpen: boolean): string =>
  [
    event("content_block_start", { index, content_block: opened(to, block, index) }),
    ...deltas(block).map((delta) => event("content_block_delta", { index, delta })),
    ...(isOpen ? [] : [event("content_block_stop", { index })])
  ].join("")

const envelope = (to: ReplyTo, usage: Usage, content: ReadonlyArray<unknown>, stopReason: string | null) => ({
  id: `msg_${padded(to.serial)}`,
  type: "message",
  role: "assistant",
  model: to.model,
  content,
  stop_reason: stopReason,
  stop_sequence: null,
  usage: usageOf(usage)
})

const messageStart = (to: ReplyTo, usage: Usage): string =>
  event("message_start", { message: envelope(to, { ...usage, outputTokens: 1 }, [], null) })

const isOpen = ({ blocks, ending, endsBehind }: Message, index: number): boolean =>
  ending !== "whole" && !endsBehind && index === blocks.length - 1

/** An answer as the Messages API prints it: events of blocks and their deltas, or one JSON message. */
const messagesWire: Wire = {
  headers: (to) => ({ "request-id": `req_${padded(to.serial)}` }),
  begin: (to, message) => [
    messageStart(to, message.usage),
    ...message.blocks.map((block, index) => blockEvents(to, block, index, isOpen(message, index)))
  ],
  end: (_, { stopReason, usage }) => {
    const delta = { stop_reason: stopReason, stop_sequence: null }
    return event("message_delta", { delta, usage: usageOf(usage) }) + event("message_stop", {})
  },
  error: () => event("error", { error: { type: "overloaded_error", message: "scripted error event" } }),
  drip: (to, piece) => {
    const usage: Usage = { inputTokens: 100, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 }
    const next = event("content_block_delta", { index: 0, delta: { type: "text_delta", text: piece } })
    return { first: messageStart(to, usage) + blockEvents(to, { type: "text", text: "" }, 0, true) + next, next }
  },
  json: (to, { blocks, stopReason, usage }) => {
    const content = blocks.map((block, index) => whole(to, block, index))
    return envelope(to, usage, content, stopReason)
  },
  failure: ({ status, message, code = errorTypes[status] ?? "api_error" }) => ({
    type: "error",
    error: { type: code, message }
  })
}

export const messages: Protocol<MessagesBody> = {
  read: readMessages,
  wire: messagesWire,
  known: {
    "/v1/messages/count_tokens": { input_tokens: 100 },
    "/v1/models": { data: [], has_more: false, first_id: null, last_id: null },
    "/api/hello": { message: "hello" }
  }
}
