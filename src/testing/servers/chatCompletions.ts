/** The chat completions that many providers offer, for OpenCode (1.18.33) and others: `baseURL` is `url` and `/v1`. */
import type { Block, Message, Usage } from "./Answer.ts"
import { inPieces, sse } from "./reply.ts"
import type { Protocol, Received, ReplyTo, RequestHeaders, RequestKind, RequestParts, Wire } from "./request.ts"

interface Part {
  readonly type: string
  readonly text?: string
}

interface ChatMessage {
  readonly role: "system" | "user" | "assistant" | "tool"
  readonly content?: string | ReadonlyArray<Part> | null
  readonly tool_call_id?: string
}

/** The body of a request for chat completions: what scripts look at is typed, the rest is as it came. */
export interface ChatBody {
  readonly model: string
  readonly messages: ReadonlyArray<ChatMessage>
  readonly tools?: ReadonlyArray<{ readonly function: { readonly name: string } }>
  readonly stream?: boolean
  readonly reasoning_effort?: string
  readonly [field: string]: unknown
}

/** OpenCode (1.18.33): headers name its session and a sub-agent's parent; no tools: a title or a summary. */
const kindOf = (headers: RequestHeaders, body: ChatBody): RequestKind => {
  if (headers["x-parent-session-id"] !== undefined) return "agent"
  return headers["x-session-id"] !== undefined && (body.tools?.length ?? 0) === 0 ? "side" : "main"
}

const textOf = ({ content }: ChatMessage): string =>
  typeof content === "string" ? content : (content ?? []).map((part) => part.text ?? "").join("")

const readChat = ({ method, path, headers, body: text }: Received): RequestParts<ChatBody> | undefined => {
  if (method !== "POST" || path !== "/v1/chat/completions") return undefined
  const body: ChatBody = JSON.parse(text)
  const messagesOf = (role: ChatMessage["role"]) => body.messages.filter((message) => message.role === role)
  return {
    kind: kindOf(headers, body),
    model: body.model,
    stream: body.stream === true,
    prompts: messagesOf("user").map(textOf),
    systemPrompt: messagesOf("system").map(textOf).join("\n"),
    toolNames: (body.tools ?? []).map((tool) => tool.function.name),
    toolResults: messagesOf("tool").map((message) => ({ id: message.tool_call_id ?? "", text: textOf(message) })),
    body
  }
}

type Fields = Readonly<Record<string, unknown>>

const finishReasons: Readonly<Record<string, string>> = {
  end_turn: "stop",
  tool_use: "tool_calls",
  max_tokens: "length",
  refusal: "content_filter"
}

const finishOf = ({ stopReason }: Message) => finishReasons[stopReason] ?? stopReason

const envelope = (to: ReplyTo, object: string, fields: Fields) => ({
  id: `chatcmpl_${to.serial}`,
  object,
  created: 1,
  model: to.model,
  ...fields
})

const chunk = (to: ReplyTo, fields: Fields): string => sse(envelope(to, "chat.completion.chunk", fields))

const delta = (to: ReplyTo, input: Fields, finish: string | null = null): string =>
  chunk(to, { choices: [{ index: 0, delta: input, finish_reason: finish }] })

const callOf = (to: ReplyTo, block: Extract<Block, { type: "tool_use" }>, index: number) => ({
  index,
  id: block.id ?? `call_${to.serial}_${index}`,
  type: "function",
  function: { name: block.name, arguments: JSON.stringify(block.input) }
})

const deltasOf = (to: ReplyTo, block: Block, index: number): ReadonlyArray<Fields> => {
  if (block.type === "text") return (block.pieces ?? inPieces(block.text)).map((content) => ({ content }))
  if (block.type === "thinking") return inPieces(block.text).map((words) => ({ reasoning_content: words }))
  return [{ tool_calls: [callOf(to, block, index)] }]
}

const usageOf = ({ inputTokens, outputTokens, cacheReadTokens }: Usage) => ({
  prompt_tokens: inputTokens + cacheReadTokens,
  completion_tokens: outputTokens,
  total_tokens: inputTokens + cacheReadTokens + outputTokens,
  prompt_tokens_details: { cached_tokens: cacheReadTokens }
})

const joined = (blocks: ReadonlyArray<Block>, type: "text" | "thinking"): string =>
  blocks.map((block) => (block.type === type ? block.text : "")).join("")

const whole = (to: ReplyTo, { blocks }: Message): Fields => {
  const calls = blocks.flatMap((block, index) => (block.type === "tool_use" ? [callOf(to, block, index)] : []))
  const thinking = joined(blocks, "thinking")
  return {
    role: "assistant",
    content: joined(blocks, "text"),
    ...(thinking === "" ? {} : { reasoning_content: thinking }),
    ...(calls.length === 0 ? {} : { tool_calls: calls })
  }
}

/** An answer as chat completions print it: chunks of one choice, or one JSON completion. */
const chatWire: Wire = {
  begin: (to, { blocks }) => [
    delta(to, { role: "assistant", content: "" }),
    ...blocks.flatMap((block, index) => deltasOf(to, block, index)).map((input) => delta(to, input))
  ],
  end: (to, message) =>
    `${delta(to, {}, finishOf(message))}${chunk(to, { choices: [], usage: usageOf(message.usage) })}data: [DONE]\n\n`,
  error: () => sse({ error: { message: "scripted error event", type: "server_error" } }),
  drip: (to, piece) => {
    const next = delta(to, { content: piece })
    return { first: delta(to, { role: "assistant", content: piece }), next }
  },
  json: (to, message) => {
    const choices = [{ index: 0, message: whole(to, message), finish_reason: finishOf(message) }]
    return envelope(to, "chat.completion", { choices, usage: usageOf(message.usage) })
  },
  failure: ({ message, type = "invalid_request_error", code = null }) => ({
    error: { message, type, code, param: null }
  })
}

export const chatCompletions: Protocol<ChatBody> = { read: readChat, wire: chatWire }
