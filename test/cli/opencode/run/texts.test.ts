/** The text of the answer: blocks, answers that broke off, and messages of OpenCode itself. */
import { assert, describe, it } from "vitest"
import { opencode } from "../../../../src/cli/opencode/index.ts"
import { runLines } from "../../transcript.ts"
import { compacted, type Json, reasoning, stepFinish, stepStart, text, tool } from "../wireLines.ts"

const run = (lines: ReadonlyArray<Json>) => {
  const { events, result } = runLines(opencode, lines)
  const texts = events.flatMap((event) => (event.type === "text" ? [event.text] : []))
  const notices = events.flatMap((event) => (event.type === "notice" ? [event.kind] : []))
  return { events, result, texts, notices }
}

const aside: Json = { type: "text", sessionID: "s", part: { messageID: "m9", text: "An aside.", synthetic: true } }

describe("text", () => {
  it("is separated by a blank line, within an answer and between answers", () => {
    const step = [stepStart("m1"), text("m1", "a"), text("m1", "b"), stepFinish("m1", "tool-calls")]
    const { texts, result } = run([...step, stepStart("m2"), text("m2", ""), text("m2", "c"), stepFinish("m2", "stop")])
    assert.deepStrictEqual(texts, ["a", "\n\nb", "\n\nc"])
    assert.strictEqual(result.text, "a\n\nb\n\nc")
  })

  it("of an answer that broke off is withdrawn, of the ones before it not", () => {
    const first = [stepStart("m1"), text("m1", "kept"), stepFinish("m1", "tool-calls")]
    const broken = [stepStart("m2"), text("m2", "lost"), text("m2", "too"), stepStart("m2")]
    const { result, notices } = run([...first, ...broken, text("m2", "said"), stepFinish("m2", "stop")])
    assert.strictEqual(result.text, "kept\n\nsaid")
    assert.deepStrictEqual(notices, ["retry", "text_voided"])
  })

  it("stands when an answer that had ended is followed by another under its id", () => {
    const once = [stepStart("m1"), text("m1", "a"), stepFinish("m1", "stop")]
    const { result, notices } = run([...once, ...once])
    assert.strictEqual(result.text, "a\n\na")
    assert.deepStrictEqual(notices, [])
  })

  it("of a summary is withdrawn when OpenCode goes on from it", () => {
    const answer = [stepStart("m1"), text("m1", "a"), stepFinish("m1", "stop")]
    const summary = [stepStart("m2"), text("m2", "summary"), stepFinish("m2", "stop"), compacted("m3")]
    const { result, notices } = run([...answer, ...summary, stepStart("m4"), text("m4", "b"), stepFinish("m4", "stop")])
    assert.strictEqual(result.text, "a\n\nb")
    assert.deepStrictEqual(notices, ["text_voided", "info"])
  })

  it("before an empty summary stands", () => {
    const answer = [stepStart("m1"), text("m1", "a"), stepFinish("m1", "stop")]
    const { result } = run([...answer, stepStart("m2"), stepFinish("m2", "stop"), compacted("m3")])
    assert.strictEqual(result.text, "a")
  })

  it("that OpenCode sends the model otherwise withdraws nothing and is not an answer", () => {
    const { result, notices } = run([stepStart("m1"), text("m1", "a"), stepFinish("m1", "stop"), aside])
    assert.strictEqual(result.text, "a")
    assert.deepStrictEqual(notices, ["info"])
  })

  it("is not thinking, nor what a tool gives", () => {
    const state = { status: "completed", output: "out" }
    const lines = [stepStart("m1"), reasoning("m1", "hm"), tool("m1", "c1", "bash", state), stepFinish("m1", "stop")]
    const { events, result } = run(lines)
    assert.strictEqual(result.text, "")
    assert.deepStrictEqual(
      events.map(({ type }) => type),
      ["session", "thinking", "tool_use", "tool_result", "usage"]
    )
  })
})
