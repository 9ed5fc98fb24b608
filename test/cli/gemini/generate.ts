/** Made-up runs of Gemini CLI: a plan describes the answer, `wireOf` prints it as the CLI would. */
import { Arbitrary, Schema } from "effect"

export type Json = Readonly<Record<string, unknown>>

const Text = Schema.Union([Schema.String, Schema.Literals(["a", "same", "same", "ä🎉", "x\n", "\u2028", "👩‍👩‍👧"])])

const Item = Schema.Union([
  /** A text in pieces; `isRepeated`: its whole comes once more behind them. */
  Schema.Struct({ kind: Schema.Literal("text"), pieces: Schema.NonEmptyArray(Text), isRepeated: Schema.Boolean }),
  Schema.Struct({ kind: Schema.Literal("whole"), text: Text }),
  /** Calls whose results come together, in any order. */
  Schema.Struct({
    kind: Schema.Literal("tools"),
    fails: Schema.NonEmptyArray(Schema.Boolean),
    isReversed: Schema.Boolean
  }),
  Schema.Struct({ kind: Schema.Literal("warning") })
])
type Item = typeof Item.Type

export const anyRun = Arbitrary.schema(Schema.Array(Item))

const at = { timestamp: "2026-11-20T08:00:00.000Z" }
export const init: Json = { type: "init", ...at, session_id: "s-1", model: "auto" }
export const delta = (content: string): Json => ({ type: "message", ...at, role: "assistant", content, delta: true })
const whole = (content: string): Json => ({ type: "message", ...at, role: "assistant", content })
export const use = (id: string, name = "glob", parameters: unknown = {}): Json => ({
  type: "tool_use",
  ...at,
  tool_name: name,
  tool_id: id,
  parameters
})
export const outcome = (id: string, fails = false): Json => ({
  type: "tool_result",
  ...at,
  tool_id: id,
  status: fails ? "error" : "success",
  ...(fails ? { output: "no", error: { type: "file_not_found", message: "No." } } : {})
})
const counts = { total_tokens: 3, input_tokens: 2, output_tokens: 1, cached: 1, input: 1 }
export const result = (fields: Json = {}): Json => ({
  type: "result",
  ...at,
  status: "success",
  stats: { ...counts, duration_ms: 9, tool_calls: 0, models: { "gemini-x": counts } },
  ...fields
})

interface Wire {
  readonly lines: ReadonlyArray<Json>
  /** The answer that the plan means. */
  readonly text: string
  readonly toolIds: ReadonlyArray<string>
}

export const wireOf = (items: ReadonlyArray<Item>): Wire => {
  let text = ""
  const toolIds: Array<string> = []
  const linesOf = (item: Item): ReadonlyArray<Json> => {
    if (item.kind === "warning") return [{ type: "error", ...at, severity: "warning", message: "careful" }]
    if (item.kind === "tools") {
      const ids = item.fails.map((_, index) => `glob__${toolIds.length + index}`)
      toolIds.push(...ids)
      const outcomes = item.fails.map((fails, index) => outcome(ids[index] ?? "", fails))
      return [...ids.map((id) => use(id)), ...(item.isReversed ? outcomes.toReversed() : outcomes)]
    }
    const words = item.kind === "whole" ? item.text : item.pieces.join("")
    text += words
    // Another line stands between two texts, so that the second is not taken for the first one's whole.
    const user: Json = { type: "error", ...at, severity: "warning", message: "between" }
    if (item.kind === "whole") return [user, whole(words)]
    return [...item.pieces.map(delta), ...(item.isRepeated && words !== "" ? [whole(words)] : [])]
  }
  const lines = items.flatMap(linesOf)
  return {
    lines: [init, { type: "message", ...at, role: "user", content: "hello" }, ...lines, result()],
    text,
    toolIds
  }
}
