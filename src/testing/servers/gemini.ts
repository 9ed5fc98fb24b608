/** The Gemini API, for Gemini CLI (0.61.0). */
import type { Block, Message, Usage } from "./Answer.ts"
import { sse } from "./reply.ts"
import type { Protocol, Received, ReplyTo, RequestParts, ToolResult, Wire } from "./request.ts"

interface FunctionResponse {
  readonly id?: string
  readonly name: string
  readonly response: Readonly<Record<string, unknown>>
}

interface Part {
  readonly text?: string
  readonly functionResponse?: FunctionResponse
}

/** The body of a request for the Gemini API: what scripts look at is typed, the rest is as it came. */
export interface GeminiBody {
  readonly contents: ReadonlyArray<{ readonly role?: string; readonly parts?: ReadonlyArray<Part> }>
  readonly systemInstruction?: { readonly parts?: ReadonlyArray<Part> }
  readonly tools?: ReadonlyArray<{ readonly functionDeclarations?: ReadonlyArray<{ readonly name: string }> }>
  readonly [field: string]: unknown
}

const modelPath = /\/models\/([^/:]+):(streamGenerateContent|generateContent)$/

/** A tool gives `output` or `error`; what is neither comes as JSON. */
const resultOf = ({ id = "", name, response }: FunctionResponse): ToolResult => {
  const { output, error } = response
  const result = error ?? output
  return {
    id,
    name,
    text: typeof result === "string" ? result : JSON.stringify(response),
    isError: error !== undefined
  }
}

const readGemini = ({ method, path, body: input }: Received): RequestParts<GeminiBody> | undefined => {
  const [, model, action] = modelPath.exec(path) ?? []
  if (method !== "POST" || model === undefined) return undefined
  const body: GeminiBody = JSON.parse(input)
  const parts = body.contents.flatMap((content) => content.parts ?? [])
  return {
    kind: "main",
    model,
    stream: action === "streamGenerateContent",
    prompts: body.contents
      .filter((content) => content.role === "user")
      .flatMap((content) => content.parts ?? [])
      .flatMap(({ text }) => text ?? []),
    systemPrompt: (body.systemInstruction?.parts ?? []).map((part) => part.text ?? "").join("\n"),
    toolNames: (body.tools ?? []).flatMap((tool) => tool.functionDeclarations ?? []).map((tool) => tool.name),
    toolResults: parts.flatMap(({ functionResponse }) => (functionResponse ? [resultOf(functionResponse)] : [])),
    body
  }
}

const statusWords: Readonly<Record<number, string>> = {
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  429: "RESOURCE_EXHAUSTED",
  500: "INTERNAL",
  503: "UNAVAILABLE"
}

const finishReasons: Readonly<Record<string, string>> = {
  end_turn: "STOP",
  tool_use: "STOP",
  max_tokens: "MAX_TOKENS",
  refusal: "SAFETY"
}

const partsOf = (block: Block): ReadonlyArray<unknown> => {
  if (block.type === "text") return (block.pieces ?? [block.text]).map((text) => ({ text }))
  if (block.type === "thinking") return [{ text: block.text, thought: true }]
  const id = block.id === undefined ? {} : { id: block.id }
  return [{ functionCall: { ...id, name: block.name, args: block.input } }]
}

const usageOf = ({ inputTokens, cacheReadTokens, outputTokens }: Usage) => ({
  promptTokenCount: inputTokens + cacheReadTokens,
  cachedContentTokenCount: cacheReadTokens,
  candidatesTokenCount: outputTokens,
  totalTokenCount: inputTokens + cacheReadTokens + outputTokens
})

/** With the message it is the last chunk, with the outcome. */
const chunk = (to: ReplyTo, parts: ReadonlyArray<unknown>, message?: Message) => {
  const finish = message && { finishReason: finishReasons[message.stopReason] ?? message.stopReason }
  const usage = message && { usageMetadata: usageOf(message.usage) }
  return { candidates: [{ content: { role: "model", parts }, index: 0, ...finish }], ...usage, modelVersion: to.model }
}

/** An answer as the Gemini API prints it: each piece is a chunk of its own, and the last one has the finish reason. */
const geminiWire: Wire = {
  begin: (to, message) => {
    const parts = message.blocks.flatMap(partsOf)
    const isEnd = (index: number) => message.ending === "whole" && index === parts.length - 1
    return parts.map((part, index) => sse(chunk(to, [part], isEnd(index) ? message : undefined)))
  },
  end: (to, message) => (message.blocks.flatMap(partsOf).length === 0 ? sse(chunk(to, [], message)) : ""),
  error: () => "",
  drip: (to, piece) => {
    const next = sse(chunk(to, [{ text: piece }]))
    return { first: next, next }
  },
  json: (to, message) => chunk(to, message.blocks.flatMap(partsOf), message),
  failure: ({ status, message, code }) => {
    const info = { "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: code, domain: "googleapis.com" }
    const details = code === undefined ? {} : { details: [info] }
    return { error: { code: status, message, status: statusWords[status] ?? "UNKNOWN", ...details } }
  }
}

export const gemini: Protocol<GeminiBody> = { read: readGemini, wire: geminiWire }
