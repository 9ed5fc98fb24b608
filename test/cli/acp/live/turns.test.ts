/** A turn of an unknown agent: its end, one `tool_use` for each call, and nothing unknown lost. */
import { assert, describe, it } from "vitest"
import { genericFlavor } from "../../../../src/cli/acp/index.ts"
import type { AgentOpenParams } from "../../../../src/contract/AgentOpenParams.ts"
import { opened, printed, prompted, request, result, type Talk, update } from "./talk.ts"

describe("a turn", () => {
  it.each([
    ["end_turn", "Success", false],
    ["max_tokens", "Success", false],
    ["brand_new", "Success", false],
    ["refusal", "Failure", false],
    ["max_turn_requests", "Failure", false],
    ["cancelled", "Success", true]
  ])("that stops for %s is a %s", (stopReason, verdict, isInterrupted) => {
    const { dialogue, promptId } = prompted()
    const [end] = dialogue.push(
      result(promptId, { stopReason, usage: { inputTokens: 1, outputTokens: 2, thoughtTokens: 3 } })
    )
    assert.deepInclude(JSON.parse(JSON.stringify(end)), {
      _tag: "TurnEnded",
      report: { stopReason, usage: { inputTokens: 1, outputTokens: 5 } },
      ...(isInterrupted ? { isInterrupted } : {})
    })
    assert.include(JSON.stringify(end), `"verdict":{"_tag":"${verdict}"`)
    assert.strictEqual(dialogue.standing(), "resting")
  })

  it.each<[string, AgentOpenParams, Array<object | undefined>]>([
    ["a new session", {}, [{ inputTokens: 100, outputTokens: 20 }, undefined, { inputTokens: 400, outputTokens: 80 }]],
    ["one that is resumed", { sessionId: "s" }, [undefined, undefined, { inputTokens: 400, outputTokens: 80 }]]
  ])("whose agent reports totals of the session has the increase as its usage: %s", (_, params, expected) => {
    const { dialogue } = opened(params, genericFlavor("copilot", { usage: "session" }))
    // Totals of @github/copilot 1.0.102, with a turn between that reports nothing.
    const totals = [{ inputTokens: 100, outputTokens: 20 }, undefined, { inputTokens: 500, outputTokens: 100 }]
    const usages = totals.map((usage) => {
      const id = Number(printed(dialogue.turn("go"))[0]?.id)
      const [end] = dialogue.push(result(id, { stopReason: "end_turn", ...(usage === undefined ? {} : { usage }) }))
      return JSON.parse(JSON.stringify(end)).report.usage
    })
    assert.deepStrictEqual(usages, expected)
    const id = Number(printed(dialogue.turn("go"))[0]?.id)
    const [end] = dialogue.push(result(id, { usage: { inputTokens: 499 } }))
    assert.notProperty(JSON.parse(JSON.stringify(end)).report, "usage")
  })

  it("whose agent reports its last answer alone has no usage behind a tool call, nor where it was cut off", () => {
    const { dialogue } = opened({}, genericFlavor("kilo", { usage: "answer" }))
    const usage = { inputTokens: 100, outputTokens: 20 }
    const call = { sessionUpdate: "tool_call", toolCallId: "a", title: "Run", kind: "execute", status: "completed" }
    const usages = [
      { stopReason: "end_turn", calls: [] },
      { stopReason: "end_turn", calls: [call] },
      { stopReason: "cancelled", calls: [] },
      { stopReason: "end_turn", calls: [] }
    ].map(({ stopReason, calls }) => {
      const id = Number(printed(dialogue.turn("go"))[0]?.id)
      for (const reported of calls) dialogue.push(update("s", reported))
      return JSON.parse(JSON.stringify(dialogue.push(result(id, { stopReason, usage })).at(-1))).report.usage
    })
    assert.deepStrictEqual(usages, [usage, undefined, undefined, usage])
  })

  it("gives each call once, and its result once, also where the agent sends none", () => {
    const { dialogue, promptId } = prompted()
    const input = [
      { sessionUpdate: "tool_call", toolCallId: "a", title: "Look", kind: "read", rawInput: {} },
      { sessionUpdate: "tool_call_update", toolCallId: "a", rawInput: { path: "x" } },
      { sessionUpdate: "tool_call_update", toolCallId: "a", status: "in_progress" },
      { sessionUpdate: "tool_call", toolCallId: "b", title: "Run", kind: "execute", status: "in_progress" },
      {
        sessionUpdate: "tool_call_update",
        toolCallId: "a",
        status: "completed",
        content: [{ type: "content", content: { type: "text", text: "seen" } }]
      },
      { sessionUpdate: "tool_call_update", toolCallId: "a", status: "completed" }
    ].flatMap((reported) => dialogue.push(update("s", reported)))
    assert.deepStrictEqual(input, [
      { type: "tool_use", toolId: "a", input: { path: "x" }, toolName: "read", kind: "read", title: "Look" },
      { type: "tool_use", toolId: "b", input: {}, toolName: "execute", kind: "command", title: "Run" },
      { type: "tool_result", toolId: "a", output: "seen", isError: false }
    ])
    const [open, end] = dialogue.push(result(promptId, { stopReason: "end_turn" }))
    assert.deepInclude(open, { type: "tool_result", toolId: "b", isError: true })
    assert.deepInclude(end, { _tag: "TurnEnded" })
  })

  it("keeps whole what is not known, and refuses what is not offered", () => {
    const { dialogue } = prompted()
    const odd = [
      update("s", { sessionUpdate: "brand_new", x: 1 }),
      update("s", { sessionUpdate: "agent_message_chunk", content: { type: "hologram", data: "…" } }),
      update("other", { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "not ours" } }),
      { jsonrpc: "2.0", method: "_vendor/news", params: {} }
    ]
    for (const raw of odd) assert.deepStrictEqual(dialogue.push(raw), [{ type: "unknown", raw }])
    const raw = request(0, "fs/read_text_file", { sessionId: "s", path: "/etc/passwd" })
    const [stored, refused] = dialogue.push(raw)
    assert.deepStrictEqual(stored, { type: "unknown", raw })
    assert.deepInclude(JSON.parse(JSON.stringify(refused)).json, { id: 0, jsonrpc: "2.0" })
    assert.include(JSON.stringify(refused), "-32601")
  })

  it("whose text begins with a slash is a command only when that is asked for", () => {
    const textOf = ({ dialogue }: Talk, prompt: string) => JSON.stringify(printed(dialogue.turn(prompt))[0]?.params)
    assert.include(textOf(opened(), "/etc/hosts"), "\u200B/etc/hosts")
    assert.notInclude(textOf(opened({ slashCommands: true }), "/help"), "\u200B")
    assert.notInclude(textOf(opened(), "what is /etc"), "\u200B")
  })
})
