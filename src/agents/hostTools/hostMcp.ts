/** The functions of the host as an MCP server, independent of its transport (`hostExchange.ts`, `hostServer.ts`). */
import { Cause, Context, Effect, Layer, Predicate } from "effect"
import * as McpProtocol from "effect/ai/McpProtocol"
import { CallToolResult, Tool } from "effect/ai/McpSchema"
import * as McpServer from "effect/ai/McpServer"
import { type HostTool, hostServer } from "../../contract/HostTool.ts"
import { eventually } from "../../contract/Input.ts"

/** Options for `McpServer.layer` and `McpServer.layerHttp`. A client that knows none of the versions is offered the first. */
export const hostMcp = (tools: ReadonlyArray<HostTool>) => ({
  name: hostServer,
  // Required by MCP; no client uses it.
  version: "1",
  protocols: [
    McpProtocol.v2025_11_25,
    McpProtocol.v2025_06_18,
    McpProtocol.v2025_03_26,
    McpProtocol.v2024_11_05
  ] as const,
  registrations: Layer.effectDiscard(Effect.forEach(tools, register, { discard: true }))
})

const register = Effect.fnUntraced(function* (tool: HostTool) {
  const server = yield* McpServer.McpServer
  const { name, description, inputSchema } = tool
  yield* server.addTool({
    tool: new Tool({ name, description, inputSchema: { ...inputSchema, type: "object" } }),
    annotations: Context.empty(),
    handle: (input: unknown) => call(tool, input)
  })
})

/** Never fails; interrupted only if the call is cancelled. */
const call = (tool: HostTool, input: unknown): Effect.Effect<CallToolResult> =>
  Effect.suspend(() => {
    const controller = new AbortController()
    return eventually(() => tool.run(input, { signal: controller.signal })).pipe(
      Effect.onInterrupt(() => Effect.sync(() => controller.abort())),
      Effect.map((value) => resultOf(value, false)),
      Effect.catchCause((cause) =>
        Cause.hasInterruptsOnly(cause)
          ? Effect.interrupt
          : Effect.succeed(resultOf(problemOf(Cause.squash(cause)), true))
      )
    )
  })

/** `undefined` becomes a result without content. */
const resultOf = (value: unknown, isError: boolean): CallToolResult => {
  const text = textOf(value)
  if (text === undefined) return new CallToolResult({ content: [], isError })
  const content = [{ type: "text" as const, text }]
  if (!isJsonButNoObject(text)) return new CallToolResult({ content, isError })
  const result = Predicate.isString(value) ? value : JSON.parse(text)
  return new CallToolResult({ content, isError, structuredContent: { result } })
}

const textOf = (value: unknown): string | undefined => (Predicate.isString(value) ? value : JSON.stringify(value))

/**
 * Whether a text is JSON, but not an object. Without `structuredContent`, Gemini (0.61.0) uses such a text for it, and then
 * refuses the result, since it has to be an object.
 */
const isJsonButNoObject = (text: string): boolean => {
  try {
    return !Predicate.isObject(JSON.parse(text))
  } catch {
    return false
  }
}

const problemOf = (error: unknown): string => {
  if (Cause.isUnknownError(error)) return problemOf(error.cause)
  if (error instanceof Error) return error.message || error.name
  try {
    return textOf(error) ?? "The tool failed."
  } catch {
    return "The tool failed."
  }
}
