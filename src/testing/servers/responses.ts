/** The Responses API, for Codex (0.169.0). */
import type { Block, Message, Usage } from "./Answer.ts"
import { padded, sse } from "./reply.ts"
import type { Protocol, Received, ReplyTo, RequestParts, Wire } from "./request.ts"

interface InputPart {
  readonly type: string
  readonly text?: string
}

type Content = string | ReadonlyArray<InputPart> | undefined

interface ResponsesItem {
  readonly type?: string
  readonly role?: "user" | "assistant" | "developer"
  readonly content?: string | ReadonlyArray<InputPart>
  readonly call_id?: string
  readonly output?: string | ReadonlyArray<InputPart>
  readonly [field: string]: unknown
}

interface Tool {
  readonly type: string
  readonly name?: string
  /** Tools of a namespace, such as an MCP server. */
  readonly tools?: ReadonlyArray<Tool>
  readonly [field: string]: unknown
}

/** The body of a request for the Responses API: what scripts look at is typed, the rest is as it came. */
export interface ResponsesBody {
  readonly model: string
  readonly instructions?: string
  readonly input: string | ReadonlyArray<ResponsesItem>
  readonly tools?: ReadonlyArray<Tool>
  readonly stream?: boolean
  readonly reasoning?: { readonly effort?: string; readonly [field: string]: unknown } | null
  readonly text?: { readonly format?: Readonly<Record<string, unknown>>; readonly [field: string]: unknown } | null
  readonly [field: string]: unknown
}

const textOf = (content: Content): string =>
  typeof content === "string" ? content : (content ?? []).map((part) => part.text ?? "").join("")

const itemsOf = ({ input }: ResponsesBody): ReadonlyArray<ResponsesItem> =>
  typeof input === "string" ? [{ role: "user", content: input }] : input

const nameOf = (tool: Tool) => tool.name ?? tool.type

const readResponses = ({ method, path, body: text }: Received): RequestParts<ResponsesBody> | undefined => {
  if (method !== "POST" || path !== "/v1/responses") return undefined
  const body: ResponsesBody = JSON.parse(text)
  const items = itemsOf(body)
  const textsOf = (role: string) => items.filter((item) => item.role === role).map((item) => textOf(item.content))
  return {
    kind: "main",
    model: body.model,
    stream: body.stream === true,
    prompts: textsOf("user"),
    systemPrompt: [body.instructions ?? "", ...textsOf("developer")].join("\n"),
    toolNames: (body.tools ?? []).flatMap((tool) => [
      nameOf(tool),
      ...(tool.tools ?? []).map((inner) => `${nameOf(tool)}.${nameOf(inner)}`)
    ]),
    toolResults: items
      .filter((item) => item.type?.endsWith("_call_output"))
      .map((item) => ({ id: item.call_id ?? "", text: textOf(item.output) })),
    body
  }
}

type Item = Readonly<Record<string, unknown>>

const callOf = (block: Extract<Block, { type: "tool_use" }>, id: string): Item => {
  const call_id = block.id ?? `call_${id}`
  if (typeof block.input === "string") {
    return { type: "custom_tool_call", id: `ctc_${id}`, call_id, name: block.name, input: block.input }
  }
  const [namespace, name] = block.name.includes(".") ? block.name.split(".") : [undefined, block.name]
  const call = { type: "function_call", id: `fc_${id}`, call_id, name, arguments: JSON.stringify(block.input) }
  return namespace === undefined ? call : { ...call, namespace }
}

const itemOf = (to: ReplyTo, block: Block, index: number): Item => {
  const id = `${padded(to.serial)}_${index}`
  if (block.type === "tool_use") return { ...callOf(block, id), status: "completed" }
  if (block.type === "text") {
    const content = [{ type: "output_text", text: block.text, annotations: [] }]
    return { type: "message", id: `msg_${id}`, role: "assistant", status: "completed", content }
  }
  const summary = [{ type: "summary_text", text: block.text }]
  return { type: "reasoning", id: `rs_${id}`, summary, encrypted_content: "c2VhbGVk" }
}

const event = (type: string, fields: Item): string => sse({ type, ...fields }, type)

const envelope = (to: ReplyTo, status: string, more: Item = {}): Item => ({
  id: `resp_${padded(to.serial)}`,
  object: "response",
  model: to.model,
  status,
  ...more
})

const deltas = (block: Block, item: Item, output_index: number): ReadonlyArray<string> => {
  if (block.type !== "text") return []
  const pieces = block.pieces ?? [block.text]
  return pieces.map((delta) =>
    event("response.output_text.delta", { item_id: item["id"], output_index, content_index: 0, delta })
  )
}

const itemEvents = (to: ReplyTo, block: Block, output_index: number, isOpen: boolean): string => {
  const item = itemOf(to, block, output_index)
  const opened = block.type === "text" ? { ...item, content: [], status: "in_progress" } : item
  return [
    event("response.output_item.added", { output_index, item: opened }),
    ...deltas(block, item, output_index),
    ...(isOpen ? [] : [event("response.output_item.done", { output_index, item })])
  ].join("")
}

const usageOf = ({ inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens }: Usage): Item => {
  const input_tokens = inputTokens + cacheReadTokens
  return {
    input_tokens,
    input_tokens_details: { cached_tokens: cacheReadTokens, cache_write_tokens: cacheWriteTokens },
    output_tokens: outputTokens,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: input_tokens + outputTokens
  }
}

const created = (to: ReplyTo): string => event("response.created", { response: envelope(to, "in_progress") })

/** An `error` comes behind complete items. */
const isOpen = ({ blocks, ending, endsBehind }: Message, index: number): boolean =>
  (ending === "cut" || ending === "stall") && !endsBehind && index === blocks.length - 1

/** The Responses API's output. Text as tool input makes a custom tool (`apply_patch`); "server.tool", a namespace. */
const responsesWire: Wire = {
  headers: (to) => ({ "x-request-id": `req_${padded(to.serial)}` }),
  begin: (to, message) => [
    created(to),
    ...message.blocks.map((block, index) => itemEvents(to, block, index, isOpen(message, index)))
  ],
  end: (to, { usage }) =>
    event("response.completed", { response: envelope(to, "completed", { usage: usageOf(usage), output: [] }) }),
  error: (to) => {
    const error = { code: "server_error", message: "scripted error event" }
    return event("response.failed", { response: envelope(to, "failed", { error }) })
  },
  drip: (to, piece) => {
    const block: Block = { type: "text", text: piece }
    const next = deltas(block, itemOf(to, block, 0), 0).join("")
    return { first: created(to) + itemEvents(to, block, 0, true), next }
  },
  json: (to, { blocks, usage }) => {
    const output = blocks.map((block, index) => itemOf(to, block, index))
    return envelope(to, "completed", { output, usage: usageOf(usage) })
  },
  failure: ({ message, type = "invalid_request_error", code = null }) => ({
    error: { message, type, code, param: null }
  })
}

export const responses: Protocol<ResponsesBody> = { read: readResponses, wire: responsesWire }
