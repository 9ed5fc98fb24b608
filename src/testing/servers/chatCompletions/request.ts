/**
 * A request for chat completions, read. OpenCode (1.18.33) names its session in one header, and the session above a
 * sub-agent's in another; a request of its own that has no tools is for a title or a summary.
 */
import type { Asked, Received, RequestHeaders, RequestKind } from "../request.ts"

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

const kindOf = (headers: RequestHeaders, body: ChatBody): RequestKind => {
  if (headers["x-parent-session-id"] !== undefined) return "agent"
  return headers["x-session-id"] !== undefined && (body.tools?.length ?? 0) === 0 ? "side" : "main"
}

const textOf = ({ content }: ChatMessage): string =>
  typeof content === "string" ? content : (content ?? []).map((part) => part.text ?? "").join("")

export const readChat = ({ method, path, headers, body: text }: Received): Asked<ChatBody> | undefined => {
  if (method !== "POST" || path !== "/v1/chat/completions") return undefined
  const body: ChatBody = JSON.parse(text)
  const saidBy = (role: ChatMessage["role"]) => body.messages.filter((message) => message.role === role)
  return {
    kind: kindOf(headers, body),
    model: body.model,
    stream: body.stream === true,
    prompts: saidBy("user").map(textOf),
    systemPrompt: saidBy("system").map(textOf).join("\n"),
    toolNames: (body.tools ?? []).map((tool) => tool.function.name),
    toolResults: saidBy("tool").map((message) => ({ id: message.tool_call_id ?? "", text: textOf(message) })),
    body
  }
}
