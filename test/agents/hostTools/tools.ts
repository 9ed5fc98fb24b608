/** Functions of a host as tests need them. */
import { Deferred, Effect } from "effect"
import type { HostTool } from "../../../src/contract/HostTool.ts"

export const tool = (name: string, run: HostTool["run"]): HostTool => ({
  name,
  description: `The tool ${name}.`,
  inputSchema: { properties: { text: { type: "string" } } },
  run
})

/** A tool that never ends, and what is known of its calls. */
export const makeHanging = Effect.gen(function* () {
  const called = yield* Deferred.make<void>()
  const aborted = yield* Deferred.make<void>()
  const hanging = tool("hangs", (_, { signal }) => {
    Deferred.doneUnsafe(called, Effect.void)
    signal.addEventListener("abort", () => Deferred.doneUnsafe(aborted, Effect.void))
    return new Promise(() => undefined)
  })
  return { hanging, called: Deferred.await(called), aborted: Deferred.await(aborted) }
})

export const initialize = (id: unknown, protocolVersion = "2025-06-18") => ({
  jsonrpc: "2.0",
  id,
  method: "initialize",
  params: { protocolVersion, capabilities: {}, clientInfo: { name: "test", version: "1" } }
})

export const callOf = (id: unknown, name: string, input: unknown = {}) => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name, arguments: input }
})

/** `result`: what a text that is JSON and no object stands for. */
export const resultOf = (id: unknown, text: string, isError = false, result?: unknown) => ({
  jsonrpc: "2.0",
  id,
  result: {
    content: [{ type: "text", text }],
    isError,
    ...(result === undefined ? {} : { structuredContent: { result } })
  }
})
