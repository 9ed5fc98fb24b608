/** Events as parts of a stream: tables, and properties for any events. */
import { assert, describe, it } from "@effect/vitest"
import { resultOf } from "../../../src/api/aiSdk/model.ts"
import { parting } from "../../../src/api/aiSdk/parts.ts"
import type { StreamPart } from "../../../src/api/aiSdk/spec.ts"
import type { AgentEvent, AgentRunResult } from "../../../src/promise.ts"
import { Arbitraries } from "../../../src/testingEffect.ts"
import { runs } from "../../kit/runs.ts"

const result: AgentRunResult = {
  outcome: "completed",
  reason: "completed",
  text: "",
  sessionId: "s1",
  durationMs: 5,
  usage: undefined,
  aborted: false
}

const partsOf = (events: ReadonlyArray<AgentEvent>, { isJson = false, raw = false, end = result } = {}) => {
  const { step, end: last } = parting({ cli: "claude", isJson, raw })
  return [...events.flatMap(step), ...last(end)]
}

const typesOf = (parts: ReadonlyArray<StreamPart>) => parts.map(({ type }) => type)

const text = (text: string, more: object = {}): AgentEvent => ({ type: "text", text, ...more })
const toolUse: AgentEvent = {
  type: "tool_use",
  toolName: "Bash",
  toolId: "t",
  input: { command: "ls" },
  kind: "command"
}
const toolResult: AgentEvent = { type: "tool_result", toolId: "t", output: "a", isError: false }
const voided = (characters: number): AgentEvent => ({
  type: "notice",
  kind: "text_voided",
  message: "again",
  data: { characters }
})

describe("parts", () => {
  it("are blocks, one for each kind in a row", () => {
    const parts = partsOf([text("a"), text("b"), { type: "thinking", text: "c" }, text("d")])
    assert.deepStrictEqual(parts.slice(0, -1), [
      { type: "text-start", id: "text-0" },
      { type: "text-delta", id: "text-0", delta: "a" },
      { type: "text-delta", id: "text-0", delta: "b" },
      { type: "text-end", id: "text-0" },
      { type: "reasoning-start", id: "reasoning-1" },
      { type: "reasoning-delta", id: "reasoning-1", delta: "c" },
      { type: "reasoning-end", id: "reasoning-1" },
      { type: "text-start", id: "text-2" },
      { type: "text-delta", id: "text-2", delta: "d" },
      { type: "text-end", id: "text-2" }
    ])
  })

  it("of tools say that the agent runs them", () => {
    assert.deepStrictEqual(partsOf([toolUse, toolResult]).slice(0, -1), [
      {
        type: "tool-call",
        toolCallId: "t",
        toolName: "Bash",
        input: '{"command":"ls"}',
        providerExecuted: true,
        dynamic: true,
        providerMetadata: { reins: { kind: "command" } }
      },
      { type: "tool-result", toolCallId: "t", toolName: "Bash", result: "a", isError: false, dynamic: true }
    ])
  })

  it("have each call once, with one result, and no result without a call", () => {
    const other: AgentEvent = { type: "tool_result", toolId: "u", output: "b", isError: false }
    const parts = partsOf([
      other,
      toolUse,
      { ...toolUse, input: {} },
      toolResult,
      { ...toolResult, isError: true },
      toolUse
    ])
    assert.deepStrictEqual(typesOf(parts), ["tool-call", "tool-result", "finish"])
    assertWhole(parts)
  })

  it("leave out texts of sub-agents, and keep their tool calls", () => {
    const parts = partsOf([text("x", { parentToolId: "p" }), { ...toolUse, parentToolId: "p" }, toolResult])
    assert.deepStrictEqual(typesOf(parts), ["tool-call", "tool-result", "finish"])
  })

  it("have each event as it is, on request", () => {
    const parts = partsOf([text("a")], { raw: true })
    assert.deepStrictEqual(parts[0], { type: "raw", rawValue: text("a") })
  })

  it("of an answer that is JSON are its value alone, behind the last tool", () => {
    const events = [text('{"a":0}'), toolUse, toolResult, text("Here:\n```json\n"), text('{"a":1}\n```')]
    const parts = partsOf(events, { isJson: true })
    assert.deepStrictEqual(
      parts.flatMap((part) => (part.type === "text-delta" ? [part.delta] : [])),
      ['{"a":1}']
    )
    const checked = partsOf([text("x")], { isJson: true, end: { ...result, structuredOutput: { a: 2 } } })
    assert.deepStrictEqual(resultOf(checked, [])?.content, [{ type: "text", text: '{"a":2}' }])
    const prose = partsOf([text("none")], { isJson: true, end: { ...result, text: "none" } })
    assert.deepStrictEqual(resultOf(prose, [])?.content, [{ type: "text", text: "none" }])
  })

  it("mark void text at the end of its block, and a whole result is without it", () => {
    const parts = partsOf([text("keep"), toolUse, text("half"), voided(6), text("right")])
    assert.deepStrictEqual(
      parts.filter(({ type }) => type === "text-end"),
      [
        { type: "text-end", id: "text-0" },
        { type: "text-end", id: "text-1", providerMetadata: { reins: { voidedCharacters: 6 } } },
        { type: "text-end", id: "text-2" }
      ]
    )
    const content = resultOf(parts, [])?.content ?? []
    assert.deepStrictEqual(
      content.flatMap((part) => (part.type === "text" ? [part.text] : [])),
      ["ke", "right"]
    )
  })
})

/** The rules of the specification, by which the AI SDK fails otherwise. */
const assertWhole = (parts: ReadonlyArray<StreamPart>) => {
  const open = new Set<string>()
  const used = new Set<string>()
  const calls = new Set<string>()
  const results = new Set<string>()
  for (const part of parts) {
    switch (part.type) {
      case "text-start":
      case "reasoning-start":
        assert.isFalse(used.has(part.id), "an id is used once")
        used.add(part.id)
        open.add(part.id)
        break
      case "text-delta":
      case "reasoning-delta":
        assert.isTrue(open.has(part.id), "a delta is in its block")
        break
      case "text-end":
      case "reasoning-end":
        assert.isTrue(open.delete(part.id), "an end has a beginning")
        break
      case "tool-call":
        assert.isFalse(calls.has(part.toolCallId), "a call is told once")
        assert.doesNotThrow(() => JSON.parse(part.input))
        calls.add(part.toolCallId)
        break
      case "tool-result":
        assert.isTrue(calls.has(part.toolCallId), "a result has its call")
        assert.isFalse(results.has(part.toolCallId), "a call has one result")
        results.add(part.toolCallId)
    }
  }
  assert.strictEqual(open.size, 0, "all blocks have ended")
  assert.strictEqual(
    parts.findIndex(({ type }) => type === "finish"),
    parts.length - 1,
    "the end is last, and alone"
  )
}

describe("any events", () => {
  it.prop(
    "its parts keep the rules, and their text is that of the result",
    [Arbitraries.run],
    ([events]) => {
      const last = events.at(-1)
      if (last?.type !== "done") return assert.fail("no end")
      const parts = partsOf(events, { end: last.result })
      assertWhole(parts)
      const content = resultOf(parts, [])?.content ?? []
      const texts = content.flatMap((part) => (part.type === "text" ? [part.text] : []))
      assert.strictEqual(texts.join(""), last.result.text)
      assertWhole(partsOf(events, { isJson: true, end: last.result }))
    },
    runs(300)
  )
})
