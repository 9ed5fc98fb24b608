/** A request of the Responses API, read. */
import type { Asked, Received } from "../request.ts"

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

export const readResponses = ({ method, path, body: text }: Received): Asked<ResponsesBody> | undefined => {
  if (method !== "POST" || path !== "/v1/responses") return undefined
  const body: ResponsesBody = JSON.parse(text)
  const items = itemsOf(body)
  const saidBy = (role: string) => items.filter((item) => item.role === role).map((item) => textOf(item.content))
  return {
    kind: "main",
    model: body.model,
    stream: body.stream === true,
    prompts: saidBy("user"),
    systemPrompt: [body.instructions ?? "", ...saidBy("developer")].join("\n"),
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
