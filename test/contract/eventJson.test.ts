/** A line of JSON for every event. */
import { expect, it } from "vitest"
import type { AgentEvent } from "../../src/contract/AgentEvent.ts"
import { eventJson } from "../../src/contract/eventJson.ts"

const nested = (depth: number) => {
  let value: unknown = "deep"
  for (let at = 0; at < depth; at++) value = [value]
  return value
}

it("equals the JSON of the event", () => {
  expect(eventJson({ type: "text", text: "hi" })).toBe('{"type":"text","text":"hi"}')
})

it("replaces a part of an input that is nested too deep", () => {
  const event: AgentEvent = { type: "tool_use", toolName: "Bash", toolId: "t", input: nested(100_000) }
  const line = eventJson(event)
  expect(JSON.parse(line)).toMatchObject({ type: "tool_use", toolId: "t" })
  expect(line).toContain('"nested deeper than 200"')
  const fine: AgentEvent = { ...event, input: nested(300) }
  expect(JSON.parse(eventJson(fine))).toEqual(fine)
})

it("writes an event of a later version, too", () => {
  const later = { type: "invented_later", text: "x" } as unknown as AgentEvent // none of this version
  expect(eventJson(later)).toBe('{"type":"invented_later","text":"x"}')
})
