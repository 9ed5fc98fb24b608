/**
 * A request of the Messages API, read. Sub-agents are known by a header, one-token probes by `max_tokens`, titles by
 * their having no tools and a format (Claude Code 2.1.328).
 */
import type { Asked, Received, RequestHeaders, RequestKind } from "../request.ts"

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

export const readMessages = ({ method, path, headers, body: text }: Received): Asked<MessagesBody> | undefined => {
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
      .map((block) => ({
        id: block.tool_use_id ?? "",
        text: textOf(block.content),
        isError: block.is_error === true
      })),
    body
  }
}
