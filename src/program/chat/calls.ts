/** The latest tool calls with their output, to be unfolded; bounded; pure. */
import type { AgentEvent } from "../../contract/AgentEvent.ts"

export interface Call {
  readonly toolId: string
  readonly title: string
  /** Undefined while it runs. */
  readonly output: string | undefined
  readonly isError: boolean
  /** Characters of the output that are not kept. */
  readonly left: number
}

export type Calls = ReadonlyArray<Call>

const most = 50
const mostCharacters = 64 * 1024

/** Its end says how it went. */
const kept = (output: string) => output.slice(-mostCharacters)

export const withEvent = (calls: Calls, event: AgentEvent): Calls => {
  if (event.type === "tool_use") {
    const title = `${event.toolName}  ${event.title}`.slice(0, mostCharacters)
    const call = { toolId: event.toolId, title, output: undefined, isError: false, left: 0 }
    return [...calls.filter(({ toolId }) => toolId !== event.toolId), call].slice(-most)
  }
  if (event.type !== "tool_result") return calls
  const { output, isError } = event
  const at = calls.findLastIndex(({ toolId }) => toolId === event.toolId)
  const call = calls[at]
  if (call === undefined) return calls
  return calls.with(at, { ...call, output: kept(output), isError, left: Math.max(0, output.length - mostCharacters) })
}
