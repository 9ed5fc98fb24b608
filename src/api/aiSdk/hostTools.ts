/** Tools of the AI SDK → host tools. `ai` makes JSON Schema of any schema that it takes, and checks the input by it. */
import type { CallContext, HostTool } from "../../contract/HostTool.ts"
import type { AiSdkTools } from "./AiSdk.ts"

type AiSdkTool = AiSdkTools[string]

const isIterable = (value: unknown): value is AsyncIterable<unknown> =>
  typeof value === "object" && value !== null && Symbol.asyncIterator in value

/** A tool that yields ends with its last value; those before it are for people. */
const lastOf = async (values: AsyncIterable<unknown>): Promise<unknown> => {
  let last: unknown
  for await (const value of values) last = value
  return last
}

let calls = 0

const hostTool = async (name: string, tool: AiSdkTool): Promise<HostTool> => {
  const { asSchema } = await import("ai")
  const { execute, description } = tool
  if (execute === undefined) throw new TypeError(`hostTools: ${name} has no execute: an agent does not stop for a tool`)
  const schema = asSchema(tool.inputSchema)
  const run = async (input: unknown, { signal }: CallContext) => {
    const checked = (await schema.validate?.(input)) ?? { success: true, value: input }
    if (!checked.success) throw checked.error
    // The agent has the messages; the id of its own call is in its events.
    const options = { toolCallId: `${name}-${calls++}`, messages: [], abortSignal: signal, context: {} }
    const result: unknown = await execute(checked.value, options)
    return isIterable(result) ? lastOf(result) : result
  }
  return {
    name,
    description: typeof description === "string" ? description : name,
    inputSchema: { ...(await schema.jsonSchema) },
    run
  }
}

const isList = (tools: ReadonlyArray<HostTool> | AiSdkTools): tools is ReadonlyArray<HostTool> => Array.isArray(tools)

/** Throws a TypeError for a tool without `execute`. */
export const hostToolsOf = async (tools: ReadonlyArray<HostTool> | AiSdkTools): Promise<ReadonlyArray<HostTool>> =>
  isList(tools) ? tools : Promise.all(Object.entries(tools).map(([name, tool]) => hostTool(name, tool)))
