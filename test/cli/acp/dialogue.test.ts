/** The dialogue of the Agent Client Protocol with an agent of which nothing is known: what goes in, and what comes out. */
import { assert, describe, it } from "@effect/vitest"
import type { AgentOpenParams } from "../../../src/AgentOpenParams.ts"
import { acpDialogue } from "../../../src/cli/acp/dialogue.ts"
import { genericFlavor } from "../../../src/cli/acp/generic.ts"
import { isAction, type Output } from "../../../src/cli/Live.ts"
import { opened, prompted, request, result, type Talk, talk, update, written } from "./talk.ts"

const options = [
  { optionId: "forever", kind: "allow_always", name: "Always" },
  { optionId: "yes", kind: "allow_once", name: "Yes" },
  { optionId: "never", kind: "reject_always", name: "Never" },
  { optionId: "no", kind: "reject_once", name: "No" }
]

const ask = (id: number, given: ReadonlyArray<object> = options, toolCallId = "call") =>
  request(id, "session/request_permission", {
    sessionId: "s",
    toolCall: { toolCallId, title: "echo one", kind: "execute", rawInput: { command: "echo one" } },
    options: given
  })

const outcomes = (outputs: ReadonlyArray<Output>) => written(outputs).map(({ id, result: told }) => [id, told])

const cancelled = { outcome: { outcome: "cancelled" } }
const selected = (optionId: string) => ({ outcome: { outcome: "selected", optionId } })

describe("opening", () => {
  const capable = {
    protocolVersion: 1,
    agentInfo: { name: "x", version: "7" },
    agentCapabilities: {
      loadSession: true,
      mcpCapabilities: { http: true },
      sessionCapabilities: { resume: {}, fork: {} }
    }
  }

  const begun = (params: AgentOpenParams, initialized: object) => {
    const dialogue = acpDialogue(genericFlavor("x"))(params, { workingDirectory: "/work", privateDirectory: "/p" })
    dialogue.open()
    return { dialogue, outputs: dialogue.push(result(1, initialized)) }
  }

  it.each([
    [{}, "session/new", { cwd: "/work", mcpServers: [] }],
    [{ sessionId: "old" }, "session/resume", { sessionId: "old", cwd: "/work", mcpServers: [] }],
    [{ sessionId: "old", forkSession: true }, "session/fork", { sessionId: "old", cwd: "/work", mcpServers: [] }]
  ])("%j asks for %s", (params, method, expected) => {
    const [line] = written(begun(params, capable).outputs)
    assert.deepStrictEqual([line?.method, line?.params], [method, expected])
  })

  it("loads where the agent cannot resume, and what it says of the past is no event", () => {
    const { dialogue, outputs } = begun({ sessionId: "old" }, { agentCapabilities: { loadSession: true } })
    assert.strictEqual(written(outputs)[0]?.method, "session/load")
    const past = update("old", { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "then" } })
    assert.deepStrictEqual(dialogue.push(past), [])
    assert.strictEqual(dialogue.standing(), "opening")
    assert.deepStrictEqual(dialogue.push(result(2, null)), [{ type: "session", sessionId: "old" }, { _tag: "Opened" }])
    assert.strictEqual(dialogue.standing(), "resting")
  })

  it.each([
    ["an old session", { sessionId: "old" }, "sessionId"],
    ["a fork", { sessionId: "old", forkSession: true }, "forkSession"],
    ["a server over HTTP", { mcpServers: { far: { url: "http://x" } } }, "mcpServers over HTTP"]
  ])("refuses %s where the agent cannot", (_, params, option) => {
    const { outputs } = begun(params, { protocolVersion: 1 })
    assert.deepInclude(outputs[0], { _tag: "Failed" })
    assert.include(JSON.stringify(outputs), JSON.stringify(option))
  })

  it("tells what a failure is about", () => {
    const { dialogue } = begun({}, capable)
    const [failed] = dialogue.push({ jsonrpc: "2.0", id: 2, error: { code: -32000, message: "Key is missing" } })
    assert.deepInclude(JSON.parse(JSON.stringify(failed)), { _tag: "Failed" })
    assert.include(JSON.stringify(failed), `"category":"auth"`)
    const [version] = begun({}, { protocolVersion: 2 }).outputs
    assert.include(JSON.stringify(version), `"category":"protocol"`)
  })

  it("asks for the model, the effort and the mode of the params, one after the other", () => {
    const configOptions = [
      { id: "m", category: "model", currentValue: "a", options: [{ value: "a" }, { value: "b" }] },
      { id: "e", category: "thought_level", currentValue: "low", options: [] },
      { id: "mode", category: "mode", currentValue: "code", options: [{ value: "code" }, { value: "plan" }] }
    ]
    const { dialogue } = begun({ model: "b", effort: "high", permissionMode: "plan" }, capable)
    const lines = [dialogue.push(result(2, { sessionId: "s", configOptions }))]
    lines.push(dialogue.push(result(3, {})), dialogue.push(result(4, {})))
    assert.deepStrictEqual(
      lines.flatMap(written).map(({ params }) => params),
      [
        { sessionId: "s", configId: "m", value: "b" },
        { sessionId: "s", configId: "e", value: "high" },
        { sessionId: "s", configId: "mode", value: "plan" }
      ]
    )
    assert.deepStrictEqual(dialogue.push(result(5, {})), [
      { type: "session", sessionId: "s", model: "b", permissionMode: "plan", cliVersion: "7" },
      { _tag: "Opened" }
    ])
  })
})

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

  it("gives each call once, and its result once, also where the agent tells none", () => {
    const { dialogue, promptId } = prompted()
    const given = [
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
    ].flatMap((told) => dialogue.push(update("s", told)))
    assert.deepStrictEqual(given, [
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
    const [kept, refused] = dialogue.push(raw)
    assert.deepStrictEqual(kept, { type: "unknown", raw })
    assert.deepInclude(JSON.parse(JSON.stringify(refused)).json, { id: 0, jsonrpc: "2.0" })
    assert.include(JSON.stringify(refused), "-32601")
  })

  it("whose text begins with a slash is no command, unless it shall be", () => {
    const textOf = ({ dialogue }: Talk, prompt: string) => JSON.stringify(written(dialogue.turn(prompt))[0]?.params)
    assert.include(textOf(opened(), "/etc/hosts"), "\u200B/etc/hosts")
    assert.notInclude(textOf(opened({ slashCommands: true }), "/help"), "\u200B")
    assert.notInclude(textOf(opened(), "what is /etc"), "\u200B")
  })
})

describe("a permission", () => {
  it.each([
    ["allow", { decision: "allow" }, options, selected("yes")],
    ["deny", { decision: "deny", message: "no" }, options, selected("no")],
    ["allow, where only always is offered", { decision: "allow" }, options.slice(0, 1), cancelled],
    ["deny, where only never is offered", { decision: "deny", message: "no" }, options.slice(0, 3), cancelled]
  ] as const)("%s", (_, decision, given, expected) => {
    const { dialogue } = prompted()
    const [use, asked] = dialogue.push(ask(0, given))
    assert.deepInclude(use, { type: "tool_use", toolId: "call" })
    assert.deepInclude(JSON.parse(JSON.stringify(asked)).ask, {
      requestId: "permission-1",
      toolId: "call",
      command: "echo one",
      takesInput: false
    })
    assert.deepStrictEqual(outcomes(dialogue.decide("permission-1", decision)), [[0, expected]])
    assert.deepStrictEqual(dialogue.decide("permission-1", decision), [])
  })

  it("that is denied with an interrupt ends the turn, and the other requests", () => {
    const { dialogue } = prompted()
    dialogue.push(ask(0))
    dialogue.push(ask(1, options, "other"))
    const outputs = dialogue.decide("permission-1", { decision: "deny", message: "no", interrupt: true })
    assert.deepStrictEqual(
      written(outputs).map(({ id, method }) => [id, method]),
      [
        [0, undefined],
        [undefined, "session/cancel"],
        [1, undefined]
      ]
    )
    assert.deepInclude(outputs, { _tag: "Withdrawn", requestId: "permission-2" })
  })

  it("is withdrawn by an interrupt and answered, and no other is asked for until the turn has ended", () => {
    const { dialogue, promptId } = prompted()
    dialogue.push(ask(0))
    const outputs = dialogue.interrupt()
    assert.deepInclude(outputs, { _tag: "Withdrawn", requestId: "permission-1" })
    assert.deepStrictEqual(outcomes(outputs).slice(1), [[0, cancelled]])
    assert.deepStrictEqual(outcomes(dialogue.push(ask(1))), [[1, cancelled]])
    assert.strictEqual(dialogue.standing(), "working")
    const end = dialogue.push(result(promptId, { stopReason: "cancelled" })).at(-1)
    assert.deepInclude(end, { _tag: "TurnEnded", isInterrupted: true })
  })

  it("is withdrawn when its call is over, and when the agent does not want it any more", () => {
    const { dialogue } = prompted()
    dialogue.push(ask(0))
    const failed = { sessionUpdate: "tool_call_update", toolCallId: "call", status: "failed" }
    const outputs = dialogue.push(update("s", failed))
    assert.deepInclude(outputs, { _tag: "Withdrawn", requestId: "permission-1" })
    assert.deepStrictEqual(outcomes(outputs), [[0, cancelled]])
    dialogue.push(ask(1, options, "other"))
    const line = { jsonrpc: "2.0", method: "$/cancel_request", params: { requestId: 1 } }
    assert.deepInclude(dialogue.push(line), { _tag: "Withdrawn", requestId: "permission-2" })
  })

  it("is not asked for where the mode allows it", () => {
    const { dialogue } = prompted({ permissionMode: "bypass" })
    assert.deepStrictEqual(outcomes(dialogue.push(ask(0))), [[0, selected("yes")]])
    const careful = prompted({ permissionMode: "accept-edits" })
    assert.isTrue(careful.dialogue.push(ask(0)).some((output) => isAction(output) && output._tag === "Asked"))
  })
})

describe("a change", () => {
  it("is told as it came out", () => {
    const { dialogue } = talk({}, { sessionId: "s", models: { currentModelId: "a" } })
    const [line] = written(dialogue.change("c1", { _tag: "Model", model: "b" }))
    assert.deepStrictEqual([line?.method, line?.params], ["session/set_model", { sessionId: "s", modelId: "b" }])
    assert.deepStrictEqual(dialogue.push(result(3, {})), [
      { type: "session", sessionId: "s", model: "b" },
      { _tag: "Changed", changeId: "c1" }
    ])
    dialogue.change("c2", { _tag: "Model", model: "none" })
    const refused = dialogue.push({ jsonrpc: "2.0", id: 4, error: { code: -32602, message: "no such model" } })
    assert.deepStrictEqual(refused, [{ _tag: "Changed", changeId: "c2", problem: "no such model" }])
  })

  it("to a mode that the agent does not have is a problem, and one that is kept here holds at once", () => {
    const { dialogue } = opened()
    const plan = dialogue.change("c1", { _tag: "PermissionMode", permissionMode: "plan" })
    assert.deepInclude(plan[0], { _tag: "Changed", problem: "this agent has no mode for planning" })
    const bypass = dialogue.change("c2", { _tag: "PermissionMode", permissionMode: "bypass" })
    assert.deepStrictEqual(bypass, [{ _tag: "Changed", changeId: "c2" }])
    dialogue.turn("go")
    assert.deepStrictEqual(outcomes(dialogue.push(ask(0))), [[0, selected("yes")]])
  })
})
