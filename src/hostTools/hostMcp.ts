/**
 * The functions of the host as a server of MCP, apart from how its messages travel: `hostExchange.ts` takes them one by
 * one, `hostServer.ts` over HTTP.
 */
import { Cause, Context, Effect, Layer, Predicate } from "effect"
import * as McpProtocol from "effect/ai/McpProtocol"
import { CallToolResult, Tool } from "effect/ai/McpSchema"
import * as McpServer from "effect/ai/McpServer"
import { eventually } from "../contract/eventually.ts"
import { type HostTool, hostServer } from "../contract/HostTool.ts"

/** For `McpServer.layer` and `McpServer.layerHttp`. A client that knows none of the versions is offered the first. */
export const hostMcp = (tools: ReadonlyArray<HostTool>) => ({
  name: hostServer,
  // MCP wants one, nobody acts on it: the tools are the host's.
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

/** Fails never; only a call that is given up is interrupted. */
const call = (tool: HostTool, input: unknown): Effect.Effect<CallToolResult> =>
  Effect.suspend(() => {
    const controller = new AbortController()
    return eventually(() => tool.run(input, { signal: controller.signal })).pipe(
      Effect.onInterrupt(() => Effect.sync(() => controller.abort())),
      Effect.map((given) => resultOf(given, false)),
      Effect.catchCause((cause) =>
        Cause.hasInterruptsOnly(cause)
          ? Effect.interrupt
          : Effect.succeed(resultOf(problemOf(Cause.squash(cause)), true))
      )
    )
  })

/** Nothing to say is no text. */
const resultOf = (given: unknown, isError: boolean): CallToolResult => {
  const text = textOf(given)
  if (text === undefined) return new CallToolResult({ content: [], isError })
  const content = [{ type: "text" as const, text }]
  if (!isBare(text)) return new CallToolResult({ content, isError })
  const result = Predicate.isString(given) ? given : JSON.parse(text)
  return new CallToolResult({ content, isError, structuredContent: { result } })
}

const textOf = (given: unknown): string | undefined => (Predicate.isString(given) ? given : JSON.stringify(given))

/**
 * A text that is JSON, but no object. Where nothing else is given, Gemini (0.61.0) makes `structuredContent` of such a
 * text, and then refuses the answer, as only an object may stand there.
 */
const isBare = (text: string): boolean => {
  try {
    return !Predicate.isObject(JSON.parse(text))
  } catch {
    return false
  }
}

/** What the model is told of a failure. */
const problemOf = (error: unknown): string => {
  if (Cause.isUnknownError(error)) return problemOf(error.cause)
  if (error instanceof Error) return error.message || error.name
  try {
    return textOf(error) ?? "The tool failed."
  } catch {
    return "The tool failed."
  }
}
