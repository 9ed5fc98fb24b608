/** What a dialogue makes of lines and wishes that no recording has. */
import { assert, describe, it } from "@effect/vitest"
import type { AgentOpenParams } from "../../../src/AgentOpenParams.ts"
import { makeDialogue } from "../../../src/cli/claude/dialogue.ts"
import { type Dialogue, isAction, type Output } from "../../../src/cli/Live.ts"
import type { Json } from "./livePlayer.ts"

const session = "11111111-2222-4333-8444-555555555555"

const granted = (requestId: string, response = {}) => ({
  type: "control_response",
  response: { subtype: "success", request_id: requestId, response }
})
const refused = (requestId: string, error: string, code?: string) => ({
  type: "control_response",
  response: { subtype: "error", request_id: requestId, error, ...(code === undefined ? {} : { error_code: code }) }
})
const request = (requestId: string, asked: object) => ({
  type: "control_request",
  request_id: requestId,
  request: asked
})
const canUse = (requestId: string, toolId: string, more: object = {}) =>
  request(requestId, {
    subtype: "can_use_tool",
    tool_name: "Bash",
    input: { command: "ls" },
    tool_use_id: toolId,
    ...more
  })
const toolUse = (id: string, more: object = {}) => ({
  type: "assistant",
  message: { id: "m", content: [{ type: "tool_use", id, name: "Bash", input: { command: "ls" } }] },
  ...more
})
const init = (id = session) => ({ type: "system", subtype: "init", session_id: id })
const lifecycle = (uuid: string, state: string) => ({ type: "command_lifecycle", command_uuid: uuid, state })
const result = (more: object = {}) => ({
  type: "result",
  subtype: "success",
  is_error: false,
  session_id: session,
  result: "",
  ...more
})
const broken = { subtype: "error_during_execution", is_error: true, terminal_reason: "aborted_streaming" }
const ofWork = { origin: { kind: "task-notification" } }

/** An open dialogue; its texts are named u1, u2… */
const opened = (params: AgentOpenParams = {}): Dialogue => {
  let texts = 0
  const dialogue = makeDialogue(params, () => {
    texts++
    return `u${texts}`
  })
  dialogue.open()
  dialogue.push(granted("reins-1"))
  return dialogue
}

const begun = (params: AgentOpenParams = {}) => {
  const dialogue = opened(params)
  dialogue.turn("go")
  for (const line of [lifecycle("u1", "queued"), lifecycle("u1", "started"), init()]) dialogue.push(line)
  return dialogue
}

const writes = (outputs: ReadonlyArray<Output> | undefined): ReadonlyArray<Json> =>
  (outputs ?? []).flatMap((output) => (isAction(output) && output._tag === "Write" ? [output.json] : []))
const tags = (outputs: ReadonlyArray<Output>) => outputs.map((output) => (isAction(output) ? output._tag : output.type))
const only = (outputs: ReadonlyArray<Output>): Json => {
  assert.lengthOf(outputs, 1)
  return outputs[0]
}

describe("opening", () => {
  it("names hooks by their places, and the server of the tools", () => {
    const run = () => undefined
    const dialogue = makeDialogue({
      tools: [{ name: "t", description: "", inputSchema: {}, run }],
      hooks: [
        { event: "PreToolUse", matcher: "Bash", run },
        { event: "Stop", run },
        { event: "PreToolUse", run }
      ]
    })
    assert.deepStrictEqual(writes(dialogue.open())[0]?.request, {
      subtype: "initialize",
      hooks: {
        PreToolUse: [{ matcher: "Bash", hookCallbackIds: ["0"] }, { hookCallbackIds: ["2"] }],
        Stop: [{ hookCallbackIds: ["1"] }]
      },
      sdkMcpServers: ["host"]
    })
    assert.strictEqual(dialogue.standing(), "opening")
  })

  it("fails when the CLI refuses", () => {
    const dialogue = makeDialogue({})
    dialogue.open()
    const { _tag, reason } = only(dialogue.push(refused("reins-1", "no", "bad_hooks")))
    assert.strictEqual(_tag, "Failed")
    assert.deepInclude(reason, { _tag: "AgentFailed", code: "bad_hooks", category: "protocol", detail: "no" })
  })

  it("fails with what the CLI says before it leaves", () => {
    const dialogue = makeDialogue({ sessionId: session })
    dialogue.open()
    const errors = [`No conversation found with session ID: ${session}`]
    const line = { type: "result", subtype: "error_during_execution", is_error: true, session_id: session, errors }
    const { _tag, reason } = only(dialogue.push(line))
    assert.strictEqual(_tag, "Failed")
    assert.deepInclude(reason, { category: "session_not_found", detail: errors[0] })
  })

  it("is over once, however often the answer comes", () => {
    assert.deepStrictEqual(opened().push(granted("reins-1")), [])
  })
})

describe("a request", () => {
  it("whose call was not told is told with it, and the call is not told again", () => {
    const dialogue = begun()
    assert.deepStrictEqual(tags(dialogue.push(canUse("r1", "t1"))), ["tool_use", "Asked"])
    assert.deepStrictEqual(tags(dialogue.push(toolUse("t1"))), [])
    assert.deepStrictEqual(tags(dialogue.push(toolUse("t2"))), ["tool_use"])
    assert.deepStrictEqual(tags(dialogue.push(canUse("r2", "t2"))), ["Asked"])
  })

  it("of a sub-agent that is known belongs to its call", () => {
    const dialogue = begun()
    dialogue.push(toolUse("t1", { parent_tool_use_id: "agent-call", agent_id: "a1" }))
    const [call, asked]: ReadonlyArray<Json> = dialogue.push(canUse("r1", "t2", { agent_id: "a1" }))
    assert.strictEqual(call.parentToolId, "agent-call")
    assert.strictEqual(asked.ask.parentToolId, "agent-call")
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
    ["to a hook that is none", { subtype: "hook_callback", callback_id: "0", input: {} }],
    ["to a server that is none", { subtype: "mcp_message", server_name: "host", message: { method: "ping", id: 1 } }]
  ]

  it.each(strange)("%s is refused at once, and kept", (_, asked) => {
    const line = request("r1", asked)
    const outputs = begun().push(line)
    assert.deepStrictEqual(outputs[0], { type: "unknown", raw: line })
    assert.deepInclude(writes(outputs)[0]?.response, { subtype: "error", request_id: "r1" })
    assert.lengthOf(outputs, 2)
  })

  it("with a single question is one, too", () => {
    const input = { question: "Which?", options: ["a", { label: "b", description: "better" }] }
    const dialogue = begun()
    dialogue.push(toolUse("t1"))
    const asked = only(dialogue.push(canUse("r1", "t1", { tool_name: "AskUserQuestion", input })))
    assert.deepStrictEqual(asked.questions, [
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

describe("a turn", () => {
  it.each(["", " \n", "x".repeat(10_000_001)])("with a prompt that cannot be one ends at once", (prompt) => {
    const dialogue = opened()
    const ended = only(dialogue.turn(prompt))
    assert.strictEqual(ended.verdict._tag, "Failure")
    assert.strictEqual(dialogue.standing(), "resting")
  })

  it.each([
    [undefined, " /cost"],
    [true, "/cost"]
  ])("is text unless commands are wanted: %s", (slashCommands, content) => {
    const dialogue = opened(slashCommands === undefined ? {} : { slashCommands })
    assert.strictEqual(writes(dialogue.turn("/cost"))[0]?.message.content, content)
  })

  it("is under way from the moment it was handed over until its result", () => {
    const dialogue = opened()
    dialogue.turn("go")
    assert.strictEqual(dialogue.standing(), "working")
    assert.strictEqual(only(dialogue.push(result())).isOwn, undefined)
    assert.strictEqual(dialogue.standing(), "resting")
  })

  it("that a result names is over, whatever was told of it before", () => {
    const dialogue = opened()
    dialogue.turn("go")
    dialogue.push(lifecycle("u1", "queued"))
    assert.strictEqual(only(dialogue.push(result({ user_message_uuids: ["u1"] }))).isOwn, undefined)
    assert.strictEqual(dialogue.standing(), "resting")
  })

  it("that the CLI began by itself is not the one asked for", () => {
    const dialogue = opened()
    dialogue.push(init())
    dialogue.turn("go")
    dialogue.push(lifecycle("u1", "queued"))
    assert.strictEqual(only(dialogue.push(result(ofWork))).isOwn, false)
    assert.strictEqual(dialogue.standing(), "working")
    dialogue.push(lifecycle("u1", "started"))
    assert.strictEqual(only(dialogue.push(result({ user_message_uuids: ["u1"] }))).isOwn, undefined)
    assert.strictEqual(dialogue.standing(), "resting")
  })

  it("that was folded into one the CLI began by itself has the result of that", () => {
    const dialogue = opened()
    dialogue.push(init())
    dialogue.turn("go")
    for (const state of ["queued", "started", "completed"]) dialogue.push(lifecycle("u1", state))
    const ended = only(dialogue.push(result({ ...ofWork, user_message_uuids: ["u1"] })))
    assert.strictEqual(ended.isOwn, undefined)
    assert.strictEqual(dialogue.standing(), "resting")
  })

  it("that the CLI drops before it began is over", () => {
    const dialogue = opened()
    dialogue.turn("go")
    assert.strictEqual(only(dialogue.push(lifecycle("u1", "cancelled"))).isInterrupted, true)
    assert.strictEqual(dialogue.standing(), "resting")
  })

  it("that fails ends, and the session goes on", () => {
    const dialogue = begun()
    const ended = only(
      dialogue.push(result({ is_error: true, terminal_reason: "api_error", result: "API Error: 400" }))
    )
    assert.deepInclude(ended.verdict.reason, { _tag: "AgentFailed", code: "api_error" })
    assert.strictEqual(ended.isInterrupted, undefined)
    assert.lengthOf(writes(dialogue.turn("again")), 1)
  })

  it("without a line of text has the text of its result, in every turn", () => {
    const dialogue = begun()
    const textOf = (outputs: ReadonlyArray<Output>) =>
      outputs.flatMap((output) => ("type" in output && output.type === "text" ? [output.text] : []))
    assert.deepStrictEqual(textOf(dialogue.push(result({ result: "one" }))), ["one"])
    dialogue.turn("go")
    dialogue.push(init())
    assert.deepStrictEqual(textOf(dialogue.push(result({ result: "two" }))), ["two"])
  })

  it("counts what is cumulative from the turn before, and nothing where that is not known", () => {
    const totals = (dialogue: Dialogue, cost: number, api: number) => {
      dialogue.turn("go")
      const { report } = only(dialogue.push(result({ total_cost_usd: cost, duration_api_ms: api })))
      return [report.totalCostUsd, report.apiDurationMs]
    }
    const fresh = opened()
    assert.deepStrictEqual(totals(fresh, 1, 10), [1, 10])
    assert.deepStrictEqual(totals(fresh, 3, 15), [2, 5])
    const resumed = opened({ sessionId: session })
    assert.deepStrictEqual(totals(resumed, 1, 10), [undefined, undefined])
    assert.deepStrictEqual(totals(resumed, 3, 15), [2, 5])
  })
})

describe("a steer", () => {
  it("is refused where no turn is under way, and where it is no text", () => {
    assert.isUndefined(opened().steer("more"))
    assert.isUndefined(begun().steer(""))
  })

  it("that is folded in has no result of its own", () => {
    const dialogue = begun()
    dialogue.steer("more")
    for (const state of ["queued", "started", "completed"]) {
      assert.deepStrictEqual(dialogue.push(lifecycle("u2", state)), [])
    }
    dialogue.push(result({ user_message_uuids: ["u1", "u2"] }))
    assert.strictEqual(dialogue.standing(), "resting")
  })

  it("that comes too late says so when it begins, and is under way until then", () => {
    const dialogue = begun()
    dialogue.steer("more")
    assert.strictEqual(only(dialogue.push(result({ user_message_uuids: ["u1"] }))).isOwn, undefined)
    assert.strictEqual(dialogue.standing(), "working")
    dialogue.push(lifecycle("u2", "queued"))
    assert.deepInclude(only(dialogue.push(lifecycle("u2", "started"))), { type: "notice", kind: "queued" })
    dialogue.push(result({ user_message_uuids: ["u2"] }))
    assert.strictEqual(dialogue.standing(), "resting")
  })
})

describe("an interrupt", () => {
  it("is written once, and only while a turn is under way", () => {
    assert.deepStrictEqual(opened().interrupt(), [])
    const dialogue = begun()
    assert.lengthOf(writes(dialogue.interrupt()), 1)
    assert.deepStrictEqual(dialogue.interrupt(), [])
    dialogue.push(granted("reins-2", { still_queued: [] }))
    assert.deepStrictEqual(dialogue.interrupt(), [])
    const ended = only(dialogue.push(result(broken)))
    assert.deepInclude(ended, { isInterrupted: true })
    assert.strictEqual(ended.verdict.reason._tag, "Aborted")
  })

  it("that the turn was faster than has not interrupted it", () => {
    const dialogue = begun()
    dialogue.interrupt()
    const ended = only(dialogue.push(result()))
    assert.strictEqual(ended.verdict._tag, "Success")
    assert.strictEqual(ended.isInterrupted, undefined)
    dialogue.turn("again")
    assert.lengthOf(writes(dialogue.interrupt()), 1)
  })

  it("that missed its turn is written again when the turn begins", () => {
    const dialogue = opened()
    dialogue.turn("go")
    dialogue.interrupt()
    dialogue.push(lifecycle("u1", "queued"))
    dialogue.push(granted("reins-2", { still_queued: ["u1"] }))
    assert.lengthOf(writes(dialogue.push(lifecycle("u1", "started"))), 1)
    assert.deepInclude(only(dialogue.push(result(broken))), { isInterrupted: true })
    dialogue.turn("again")
    assert.deepStrictEqual(dialogue.push(lifecycle("u2", "started")), [])
  })

  it("that is refused can be tried again", () => {
    const dialogue = begun()
    dialogue.interrupt()
    dialogue.push(refused("reins-2", "no"))
    assert.lengthOf(writes(dialogue.interrupt()), 1)
  })

  it("by a denial is one, and another can still be written", () => {
    const dialogue = begun()
    dialogue.push(canUse("r1", "t1"))
    dialogue.decide("r1", { decision: "deny", message: "no", interrupt: true })
    assert.lengthOf(writes(dialogue.interrupt()), 1)
    assert.deepInclude(only(dialogue.push(result(broken))), { isInterrupted: true })
  })
})

describe("the session", () => {
  it("that becomes another unasked cannot go on", () => {
    const dialogue = begun()
    assert.deepStrictEqual(dialogue.push(init()), [])
    const outputs = dialogue.push(init("another"))
    assert.deepStrictEqual(tags(outputs), ["session", "Failed"])
    const failed: Json = outputs[1]
    assert.deepInclude(failed.reason, { _tag: "AgentFailed", code: "session_changed", category: "protocol" })
  })

  it("can become another where the CLI says so", () => {
    const dialogue = begun()
    dialogue.push({ type: "conversation_reset" })
    assert.deepStrictEqual(tags(dialogue.push(init("another"))), ["session"])
    assert.include(tags(dialogue.push(init("a third"))), "Failed")
  })

  it("rests after work that ended while a tool ran, and not before work that is still to be told", () => {
    const dialogue = begun()
    const task = { task_id: "b1", description: "work" }
    const work = (tasks: ReadonlyArray<object>) => ({ type: "system", subtype: "background_tasks_changed", tasks })
    const over = { type: "system", subtype: "task_notification", task_id: "b1", status: "completed" }
    for (const line of [work([task]), over, work([])]) dialogue.push(line)
    dialogue.push({ type: "user", message: { content: [{ type: "tool_result", tool_use_id: "t1", content: "x" }] } })
    dialogue.push(result())
    assert.strictEqual(dialogue.standing(), "resting")
    for (const line of [work([task]), over, work([])]) dialogue.push(line)
    assert.strictEqual(dialogue.standing(), "background")
    dialogue.push(init())
    dialogue.push(result(ofWork))
    assert.strictEqual(dialogue.standing(), "resting")
  })
})
