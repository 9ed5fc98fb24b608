/** The empty line between texts of an answer. */
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import type { AgentEvent } from "../../src/contract/AgentEvent.ts"
import { makeParagraphs } from "../../src/contract/paragraphs.ts"

const text = (input: string, parentToolId?: string): AgentEvent => ({
  type: "text",
  text: input,
  ...(parentToolId === undefined ? {} : { parentToolId })
})
const call: AgentEvent = { type: "tool_use", toolId: "t", toolName: "Bash", input: {}, kind: "command" }
const result: AgentEvent = { type: "tool_result", toolId: "t", output: "a.txt", isError: false }
const thinking: AgentEvent = { type: "thinking", text: "hm" }
const ofSubAgent: AgentEvent = { ...call, parentToolId: "agent" }
const usage: AgentEvent = { type: "usage", usage: { inputTokens: 1, outputTokens: 1 } }
const voided = (characters: number): AgentEvent => ({
  type: "notice",
  kind: "text_voided",
  message: "gone",
  data: { characters }
})

const separated = (events: ReadonlyArray<AgentEvent>) => {
  const push = makeParagraphs()
  return events.flatMap((event) => push(event) ?? [])
}

/** As a reader of the events joins them. */
const joined = (events: ReadonlyArray<AgentEvent>) =>
  events.reduce((all, event) => {
    if (event.parentToolId !== undefined) return all
    if (event.type === "text") return all + event.text
    const characters = event.type === "notice" ? (event.data?.characters ?? 0) : 0
    return all.slice(0, Math.max(0, all.length - characters))
  }, "")

const cases: ReadonlyArray<readonly [name: string, events: ReadonlyArray<AgentEvent>, expected: string]> = [
  ["pieces of one text", [text("Be"), text("fore.")], "Before."],
  ["texts around a call", [text("Before."), call, result, text("Af"), text("ter.")], "Before.\n\nAfter."],
  ["texts around thinking", [text("Before."), thinking, text("After.")], "Before.\n\nAfter."],
  ["texts of two messages", [text("Before."), text(""), text("After.")], "Before.\n\nAfter."],
  ["a text after a call", [call, result, text("After.")], "After."],
  ["a text that ends with a line break", [text("Before.\n"), call, text("After.")], "Before.\n\nAfter."],
  ["a text that begins with line breaks", [text("Before."), call, text("\n\nAfter.")], "Before.\n\nAfter."],
  ["short pieces", [text("a"), text("\n"), text("\n"), call, text("b")], "a\n\nb"],
  ["a sub-agent in the middle of a text", [text("Be"), ofSubAgent, text("x", "agent"), text("fore.")], "Before."],
  ["a sum of usage in the middle of a text", [text("Be"), usage, text("fore.")], "Before."],
  ["a withdrawn text", [text("Before."), call, text("Aft"), voided(3), text("After.")], "Before.\n\nAfter."],
  ["a withdrawn last text", [text("Before."), call, text("After."), voided(6)], "Before."],
  ["a withdrawn piece", [text("Before."), call, text("After?"), voided(1), text(".")], "Before.\n\nAfter."],
  [
    "withdrawn texts around thinking",
    [text("A"), call, text("b"), thinking, text("c"), voided(2), text("d")],
    "A\n\nd"
  ],
  ["everything withdrawn", [text("A"), call, text("b"), voided(2), text("c")], "c"]
]

describe("texts of an answer", () => {
  it.each(cases)("%s", (_, events, expected) => {
    assert.strictEqual(joined(separated(events)), expected)
  })

  const pieces = Schema.Literals(["a", "b\n", "\n\n", "\n", "long text"])
  it.prop(
    "keep their content, whatever is between them",
    [Schema.Array(Schema.Union([pieces, Schema.Boolean]))],
    ([parts]) => {
      const events = parts.map((part) => (typeof part === "string" ? text(part) : part ? call : usage))
      const plain = joined(events).replaceAll("\n", "")
      assert.strictEqual(joined(separated(events)).replaceAll("\n", ""), plain)
      // Withdrawing all that the CLI has printed leaves nothing.
      assert.strictEqual(joined(separated([...events, voided(joined(events).length)])), "")
    }
  )
})
