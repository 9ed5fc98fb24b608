/** An event as the page gets it: the same, with long outputs, inputs and raw lines cut; pure. What asks is never cut. */

import type { AgentEvent } from "../../../contract/AgentEvent.ts"
import { eventJson } from "../../../contract/eventJson.ts"
import { cutAt } from "../../../contract/text/oneLine.ts"

/** In UTF-16 units. */
const longestOutput = 64 * 1024
const longestText = 16 * 1024
const longestInput = 64 * 1024
const longestEdits = 256 * 1024
const longestRaw = 8 * 1024
const longestRow = 768 * 1024

export type PageEvent = { readonly type: string; readonly [name: string]: unknown }

const sizeOf = (value: unknown): number => JSON.stringify(value)?.length ?? 0

/** Long texts in it are cut. */
const shortened = (value: unknown): unknown => {
  if (typeof value === "string") return cutAt(value, longestText).head
  if (Array.isArray(value)) return value.map(shortened)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, shortened(item)]))
}

const boundedInput = (input: unknown): unknown => {
  if (sizeOf(input) <= longestInput) return input
  const short = shortened(input)
  return sizeOf(short) <= longestInput ? short : {}
}

/** Members that are too long, cut or left out. */
const changes = (event: PageEvent): { readonly [name: string]: unknown } => {
  const { output, input, raw, edits, tools } = event
  const command = event["command"]
  return {
    ...(typeof output === "string" && output.length > longestOutput
      ? { output: cutAt(output, longestOutput).head }
      : {}),
    ...(input !== undefined && sizeOf(input) > longestInput ? { input: boundedInput(input) } : {}),
    ...(raw !== undefined && sizeOf(raw) > longestRaw ? { raw: undefined } : {}),
    ...(edits !== undefined && sizeOf(edits) > longestEdits ? { edits: undefined } : {}),
    ...(tools !== undefined && sizeOf(tools) > longestInput ? { tools: undefined } : {}),
    // Its preview says how much is left out, and that it cannot be allowed.
    ...(typeof command === "string" && command.length > longestOutput ? { command: undefined } : {})
  }
}

export const boundedEvent = (source: AgentEvent): PageEvent => {
  // Values that are not JSON, or nested too deep, are replaced.
  const event: PageEvent = JSON.parse(eventJson(source))
  const cut = changes(event)
  if (Object.keys(cut).length === 0 && sizeOf(event) <= longestRow) return event
  const bounded: PageEvent = { ...event, ...cut, cut: true }
  return sizeOf(bounded) <= longestRow ? bounded : { type: event.type, cut: true }
}
