/** Requests of the CLI that no recording has: each is passed on or refused, and answered once. */
import { assert, describe, it } from "vitest"
import { makeDialogue } from "../../../../src/cli/claude/live/dialogue.ts"
import { begun, broken, canUse, only, request, result, tags, toolUse, writes } from "./lines.ts"
import type { Json } from "./player.ts"

describe("a request", () => {
  it("whose call was not announced announces it, and the call does not come again", () => {
    const dialogue = begun()
    assert.deepStrictEqual(tags(dialogue.push(canUse("r1", "t1"))), ["tool_use", "Asked"])
    assert.deepStrictEqual(tags(dialogue.push(toolUse("t1"))), [])
    assert.deepStrictEqual(tags(dialogue.push(toolUse("t2"))), ["tool_use"])
    assert.deepStrictEqual(tags(dialogue.push(canUse("r2", "t2"))), ["Asked"])
  })

  it("whose call states a plan states it with the call, and once", () => {
    const dialogue = begun()
    const list = { name: "TodoWrite", input: { todos: [{ content: "a", status: "pending" }] } }
    const call = (id: string) => toolUse(id, { message: { id: "m", content: [{ type: "tool_use", id, ...list }] } })
    const early = canUse("r1", "t1", { tool_name: list.name, input: list.input })
    assert.deepStrictEqual(tags(dialogue.push(early)), ["tool_use", "plan", "Asked"])
    assert.deepStrictEqual(tags(dialogue.push(call("t1"))), [])
    assert.deepStrictEqual(tags(dialogue.push(call("t2"))), ["tool_use", "plan"])
  })

  it("of a sub-agent that is known belongs to its call", () => {
    const dialogue = begun()
    dialogue.push(toolUse("t1", { parent_tool_use_id: "agent-call", agent_id: "a1" }))
    const [call, requested]: ReadonlyArray<Json> = dialogue.push(canUse("r1", "t2", { agent_id: "a1" }))
    assert.strictEqual(call.parentToolId, "agent-call")
    assert.strictEqual(requested.ask.parentToolId, "agent-call")
  })

  it("is answered once", () => {
    const dialogue = begun()
    dialogue.push(canUse("r1", "t1"))
    assert.deepStrictEqual(dialogue.answer("r1", {}), [])
    assert.lengthOf(dialogue.decide("r1", { decision: "allow" }), 1)
    assert.deepStrictEqual(dialogue.decide("r1", { decision: "allow" }), [])
    assert.deepStrictEqual(dialogue.decide("r2", { decision: "allow" }), [])
  })

  it("that is withdrawn is answered no more, and withdrawn once", () => {
    const dialogue = begun()
    dialogue.push(canUse("r1", "t1"))
    const cancel = { type: "control_cancel_request", request_id: "r1" }
    assert.deepStrictEqual(dialogue.push(cancel), [{ _tag: "Withdrawn", requestId: "r1" }])
    assert.deepStrictEqual(dialogue.push(cancel), [])
    assert.deepStrictEqual(dialogue.decide("r1", { decision: "deny", message: "no" }), [])
  })

  it("of a turn that was broken off is withdrawn with it, a sub-agent's is not", () => {
    const dialogue = begun()
    dialogue.push(canUse("r1", "t1"))
    dialogue.push(canUse("r2", "t2", { agent_id: "a1" }))
    const outputs = dialogue.push(result(broken))
    assert.deepStrictEqual(outputs[0], { _tag: "Withdrawn", requestId: "r1" })
    assert.deepStrictEqual(tags(outputs), ["Withdrawn", "TurnEnded"])
    assert.lengthOf(dialogue.decide("r2", { decision: "allow" }), 1)
  })

  const strange: ReadonlyArray<readonly [string, object]> = [
    ["of an unknown kind", { subtype: "elicitation" }],
    ["of no kind", {}],
    ["to use no tool", { subtype: "can_use_tool" }],
    ["with no question", { subtype: "can_use_tool", tool_name: "AskUserQuestion", input: {}, tool_use_id: "t" }],
    ["to an unknown hook", { subtype: "hook_callback", callback_id: "0", input: {} }],
    ["to an unknown server", { subtype: "mcp_message", server_name: "host", message: { method: "ping", id: 1 } }]
  ]

  it.each(strange)("%s is refused at once, and kept", (_, requested) => {
    const line = request("r1", requested)
    const outputs = begun().push(line)
    assert.deepStrictEqual(outputs[0], { type: "unknown", raw: line })
    assert.deepInclude(writes(outputs)[0]?.response, { subtype: "error", request_id: "r1" })
    assert.lengthOf(outputs, 2)
  })

  it("with a single question is one, too", () => {
    const input = { question: "Which?", options: ["a", { label: "b", description: "better" }] }
    const dialogue = begun()
    dialogue.push(toolUse("t1"))
    const requested = only(dialogue.push(canUse("r1", "t1", { tool_name: "AskUserQuestion", input })))
    assert.deepStrictEqual(requested.questions, [
      {
        question: "Which?",
        options: [{ label: "a" }, { label: "b", description: "better" }],
        multiple: false,
        freeText: true
      }
    ])
    const [line] = writes(dialogue.answer("r1", { "Which?": ["b"], "Other?": [] }))
    assert.deepStrictEqual(line.response.response, {
      behavior: "allow",
      updatedInput: { questions: [input], answers: { "Which?": "b" } }
    })
  })
})

describe("a call of the host", () => {
  const run = () => undefined
  const tools = [{ name: "t", description: "", inputSchema: {}, run }]

  it("by a hook gives what the hook gave, or nothing", () => {
    const dialogue = begun({ hooks: [{ event: "Stop", run }] })
    const call = (id: string) => dialogue.push(request(id, { subtype: "hook_callback", callback_id: "0", input: 1 }))
    assert.deepStrictEqual(call("r1"), [{ _tag: "HookCalled", callId: "r1", hook: 0, input: 1 }])
    assert.deepStrictEqual(writes(dialogue.reply("r1", { decision: "block" }))[0]?.response.response, {
      decision: "block"
    })
    call("r2")
    assert.deepStrictEqual(writes(dialogue.reply("r2", undefined))[0]?.response.response, {})
    assert.deepStrictEqual(dialogue.reply("r2", undefined), [])
  })

  it("by MCP comes before the session is open, and always has an answer", () => {
    const dialogue = makeDialogue({ tools })
    dialogue.open()
    const call = (id: string, message: object) =>
      dialogue.push(request(id, { subtype: "mcp_message", server_name: "host", message }))
    assert.deepStrictEqual(tags(call("r1", { method: "initialize", id: 0 })), ["McpCalled"])
    const answered = (id: string, reply: unknown) => writes(dialogue.reply(id, reply))[0]?.response.response
    assert.deepStrictEqual(answered("r1", { result: 1 }), { mcp_response: { result: 1 } })
    call("r2", { method: "notifications/initialized" })
    assert.deepStrictEqual(answered("r2", undefined), { mcp_response: { jsonrpc: "2.0", result: {}, id: 0 } })
    call("r3", { method: "tools/call", id: 7 })
    assert.deepInclude(answered("r3", undefined).mcp_response, { id: 7 })
    assert.isUndefined(answered("r1", undefined))
  })
})
