/** A request of the Gemini API, read. */
import type { Asked, Received, ToolResult } from "../request.ts"

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

export const readGemini = ({ method, path, body: input }: Received): Asked<GeminiBody> | undefined => {
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
