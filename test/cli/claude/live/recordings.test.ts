/**
 * Live sessions recorded with the real Claude Code: for the same actions of the host, the dialogue writes the recorded
 * stdin line by line.
 */
import { assert, describe, it } from "vitest"
import { actions, type Json, type Moment, ofType, type Played, play, when } from "./player.ts"
import { add, allow, interrupt, nextTurn, others, own, server, serving } from "./scenarios.ts"

const outcomes = (played: Played) =>
  actions(played, "TurnEnded").map(({ verdict, isInterrupted }) => {
    if (verdict._tag === "Success") return "Success"
    assert.strictEqual(isInterrupted, verdict.reason._tag === "Aborted" ? true : undefined)
    return verdict.reason._tag
  })

const assertHealthy = (played: Played) => {
  assert.deepStrictEqual(ofType(played, "unknown"), [])
  const calls = ofType(played, "tool_use").map(({ toolId }) => toolId)
  assert.strictEqual(new Set(calls).size, calls.length)
  assert.deepStrictEqual(actions(played, "Failed"), [])
  assert.strictEqual(played.standing, "resting")
}

describe("a recorded session with the same params", () => {
  it.each(own)("%s", (scenario, params, moments, expected) => {
    const played = play(scenario, params, moments)
    assert.deepStrictEqual(played.written, played.recorded)
    assert.deepStrictEqual(outcomes(played), expected)
    assertHealthy(played)
  })

  /** The host's server can be called before the session is open, so these two start with its moments. */
  it("host-tool", () => {
    const [greeted, ...listed] = serving
    const called = server("tools/call", { content: [{ type: "text", text: "5" }] })
    // The recorded host greeted only after it had handed the turn over.
    const opened: Moment = { at: (output: Json) => output._tag === "Opened", act: (dialogue) => dialogue.turn("go") }
    const moments = greeted === undefined ? [] : [greeted, opened, ...listed, allow, called]
    const played = play("host-tool", { tools: [add] }, moments)
    const inAnyOrder = (lines: ReadonlyArray<Json>) => lines.map((line) => JSON.stringify(line)).sort()
    assert.deepStrictEqual(inAnyOrder(played.written), inAnyOrder(played.recorded))
    assert.deepStrictEqual(outcomes(played), ["Success"])
    assertHealthy(played)
  })

  it("host-interrupted: the call is withdrawn, and its late answer is dropped", () => {
    const [greeted, ...listed] = serving
    const opened: Moment = { at: (output: Json) => output._tag === "Opened", act: (dialogue) => dialogue.turn("go") }
    const isCall = (output: Json) => output._tag === "McpCalled" && output.message.method === "tools/call"
    const late = when("Withdrawn", (dialogue, { requestId }) => dialogue.reply(requestId, { late: true }))
    const cancelled = server("notifications/cancelled", undefined)
    const moments = greeted === undefined ? [] : [greeted, opened, ...listed, interrupt(isCall), late, cancelled]
    const played = play("host-interrupted", { tools: [add] }, [...moments, nextTurn("again")])
    const inAnyOrder = (lines: ReadonlyArray<Json>) => lines.map((line) => JSON.stringify(line)).sort()
    assert.deepStrictEqual(inAnyOrder(played.written), inAnyOrder(played.recorded))
    assert.deepStrictEqual(outcomes(played), ["Aborted", "Success"])
    assertHealthy(played)
  })
})

/** The content of a line, without ids that each host makes up. */
const meaning = (lines: ReadonlyArray<Json>) =>
  lines.flatMap((line) => {
    if (line.type === "user") return [line.message]
    if (line.type === "control_request") return line.request.subtype === "initialize" ? [] : [line.request]
    return [line.response]
  })

describe("a session recorded with another host", () => {
  it.each(others)("%s", (scenario, params, moments, expected) => {
    const played = play(scenario, params, moments)
    assert.deepStrictEqual(meaning(played.written), meaning(played.recorded))
    assert.deepStrictEqual(outcomes(played), expected)
    assertHealthy(played)
  })
})
