/** What recordings do not show: modes, refusals, races between a wish and the end of a turn, strangers. */
import { assert, describe, it } from "@effect/vitest"
import type { PermissionMode } from "../../../src/AgentExecuteParams.ts"
import type { AgentOpenParams } from "../../../src/AgentOpenParams.ts"
import * as Peer from "./livePeer.ts"
import type { Json } from "./livePlayer.ts"

const { lines, others, threadId } = Peer
const session = "01A1FA30-0000-7000-8000-000000000000"
const run = () => undefined
const add = { name: "add", description: "adds", inputSchema: { properties: {} }, run }
const refused = (id: unknown, message: string) => ({ id, error: { code: -32600, message } })
const tagOf = (output: Json) => output._tag ?? `${output.type} ${output.kind ?? ""}`.trim()
const tags = (outputs: Parameters<typeof others>[0]) => others(outputs).map(tagOf)

describe("the handshake", () => {
  const untrusted = { cwd: "/workspace", approvalPolicy: "untrusted" }
  const writing = { ...untrusted, sandbox: "workspace-write" }
  const table: ReadonlyArray<readonly [string, AgentOpenParams, string, Json]> = [
    ["nothing", {}, "thread/start", writing],
    ["plan", { permissionMode: "plan" }, "thread/start", { ...untrusted, sandbox: "read-only" }],
    ["accept-edits", { permissionMode: "accept-edits" }, "thread/start", writing],
    [
      "bypass",
      { permissionMode: "bypass" },
      "thread/start",
      { cwd: "/workspace", approvalPolicy: "never", sandbox: "danger-full-access" }
    ],
    [
      "prompts",
      { model: "m", systemPrompt: "be", appendSystemPrompt: "also" },
      "thread/start",
      { ...writing, model: "m", baseInstructions: "be", developerInstructions: "also" }
    ],
    ["sessionId", { sessionId: session }, "thread/resume", { ...writing, threadId: session, excludeTurns: true }],
    [
      "forkSession",
      { sessionId: session, forkSession: true },
      "thread/fork",
      { ...writing, threadId: session, excludeTurns: true }
    ]
  ]

  it.each(table)("opens a thread: %s", (_, params, method, expected) => {
    const { start } = Peer.makePeer(params)
    assert.deepStrictEqual([start.method, start.params], [method, expected])
  })

  it("offers functions of the host in a name space", () => {
    const { start } = Peer.makePeer({ tools: [add] })
    const [space] = start.params.dynamicTools
    const tool = { type: "function", name: "add", description: "adds", inputSchema: { properties: {}, type: "object" } }
    assert.deepStrictEqual([space.type, space.name, space.tools], ["namespace", "host", [tool]])
  })

  it("opens, and tells that a resumed session keeps its functions", () => {
    const { dialogue, open } = Peer.makePeer({ sessionId: session, tools: [add] })
    assert.strictEqual(dialogue.standing(), "opening")
    assert.deepStrictEqual(tags(open()), ["session", "notice warning", "Opened"])
    assert.strictEqual(dialogue.standing(), "resting")
  })

  it("does not take another session for the one that was asked for", () => {
    const { open } = Peer.makePeer({ sessionId: "01a1fa30-0000-7000-8000-00000000000f" })
    const [failed] = others(open())
    assert.deepInclude(failed, { _tag: "Failed" })
    assert.deepInclude(failed.reason, { code: "session_changed", category: "session_not_found" })
  })

  it.each([
    ["no rollout found for thread id x", "session_not_found"],
    ["thread x already has an active writer", "invalid_request"],
    ["whatever", "protocol"]
  ])("fails where it is refused: %s", (message, category) => {
    const { dialogue, start } = Peer.makePeer()
    const [failed] = others(dialogue.push(refused(start.id, message)))
    assert.deepInclude(failed.reason, { code: "thread_refused", category, detail: message })
  })
})

describe("a permission mode", () => {
  const asked = (mode: PermissionMode, item: Json, method: string, more: Json = {}) => {
    const dialogue = Peer.inTurn("U", { permissionMode: mode, additionalDirectories: ["/other"] })
    dialogue.push(Peer.itemStarted("U", item))
    const outputs = dialogue.push(Peer.asks(method, 0, "U", { itemId: item.id, ...more }))
    return [...tags(outputs), ...lines(outputs).map(({ result }) => result.decision)]
  }
  const patched = (mode: PermissionMode, path: string) => asked(mode, Peer.patch("p", path), "fileChange")
  const commanded = (mode: PermissionMode, reason: string | null = null) =>
    asked(mode, Peer.command("c"), "commandExecution", { command: "/bin/bash -lc 'echo hi'", reason })
  const declined = ["notice permission_denied", "decline"]

  it.each([
    ["default", "/workspace/a.txt", ["Asked"]],
    ["plan", "/workspace/a.txt", declined],
    ["accept-edits", "/workspace/a.txt", ["accept"]],
    ["accept-edits", "/workspace/deep/a.txt", ["accept"]],
    ["accept-edits", "a.txt", ["accept"]],
    ["accept-edits", "/other/a.txt", ["accept"]],
    ["accept-edits", "/workspace/../a.txt", ["Asked"]],
    ["accept-edits", "/workspaces/a.txt", ["Asked"]],
    ["accept-edits", "/workspace/.git/hooks/pre-commit", ["Asked"]],
    ["accept-edits", "/workspace/.codex/config.toml", ["Asked"]],
    ["bypass", "/etc/passwd", ["accept"]]
  ] as const)("%s, a patch of %s", (mode, path, expected) => {
    assert.deepStrictEqual(patched(mode, path), [...expected])
  })

  it.each([
    ["default", null, ["Asked"]],
    ["default", "please", ["Asked"]],
    ["plan", null, ["Asked"]],
    ["plan", "please", declined],
    ["accept-edits", null, ["Asked"]],
    ["bypass", null, ["accept"]]
  ] as const)("%s, a command with the reason %s", (mode, reason, expected) => {
    assert.deepStrictEqual(commanded(mode, reason), [...expected])
  })

  it("asks where it is not told what a patch would do", () => {
    assert.deepStrictEqual(asked("accept-edits", { ...Peer.patch("p", "a"), changes: [] }, "fileChange"), ["Asked"])
  })

  it("that was changed holds from the next turn on, as the model does", () => {
    const { dialogue, open } = Peer.makePeer()
    open()
    assert.deepStrictEqual(tags(dialogue.change("1", { _tag: "Model", model: "big" })), ["Changed"])
    dialogue.change("2", { _tag: "PermissionMode", permissionMode: "bypass" })
    const [start] = lines(dialogue.turn("go"))
    const changed = { model: "big", approvalPolicy: "never", sandboxPolicy: { type: "dangerFullAccess" } }
    assert.deepInclude(start.params, changed)
    dialogue.push({ id: start.id, result: { turn: { id: "U" } } })
    dialogue.push(Peer.turnCompleted("U"))
    assert.notProperty(lines(dialogue.turn("go"))[0].params, "model")
  })
})

describe("a decision", () => {
  const waiting = () => {
    const dialogue = Peer.inTurn("U")
    dialogue.push(Peer.itemStarted("U", Peer.command("c")))
    dialogue.push(Peer.asks("commandExecution", 0, "U", { itemId: "c", command: "echo" }))
    return dialogue
  }

  it("with words of its own tells them before the answer", () => {
    const [steer, answer] = lines(waiting().decide("0", { decision: "deny", message: "Use blue." }))
    assert.strictEqual(steer.method, "turn/steer")
    assert.include(steer.params.input[0].text, "Use blue.")
    assert.deepStrictEqual(answer.result, { decision: "decline" })
  })

  it("whose words came too late is told of, and begins no turn", () => {
    const dialogue = waiting()
    const [steer] = lines(dialogue.decide("0", { decision: "deny", message: "Use blue." }))
    assert.deepStrictEqual(tags(dialogue.push(refused(steer.id, "no active turn to steer"))), ["notice info"])
  })

  it("is given once", () => {
    const dialogue = waiting()
    assert.lengthOf(lines(dialogue.decide("0", { decision: "allow" })), 1)
    assert.isEmpty(dialogue.decide("0", { decision: "allow" }))
  })

  it("is not wanted where Codex has taken the request back", () => {
    const dialogue = waiting()
    assert.deepStrictEqual(tags(dialogue.push(Peer.notify("serverRequest/resolved", { requestId: 0 }))), ["Withdrawn"])
    assert.isEmpty(dialogue.decide("0", { decision: "allow" }))
  })

  it("is not wanted at the end of the turn", () => {
    const outputs = waiting().push(Peer.turnCompleted("U"))
    assert.deepStrictEqual(tags(outputs), ["Withdrawn", "tool_result", "TurnEnded"])
  })
})

describe("a steer", () => {
  it("is not possible before the turn has started, nor after it", () => {
    const { dialogue, open } = Peer.makePeer()
    open()
    assert.isUndefined(dialogue.steer("x"))
    dialogue.turn("go")
    assert.isUndefined(dialogue.steer("x"))
    assert.isUndefined(Peer.makePeer().dialogue.steer("x"))
  })

  it("that came too late begins a turn of its own, and until then something is to come", () => {
    const dialogue = Peer.inTurn("U")
    const [steer] = lines(dialogue.steer("late"))
    assert.deepStrictEqual(tags(dialogue.push(Peer.turnCompleted("U"))), ["TurnEnded"])
    assert.strictEqual(dialogue.standing(), "working")
    const outputs = dialogue.push(refused(steer.id, "no active turn to steer"))
    assert.deepStrictEqual(tags(outputs), ["notice queued"])
    const [start] = lines(outputs)
    assert.deepStrictEqual([start.method, start.params.input[0].text], ["turn/start", "late"])
    dialogue.push({ id: start.id, result: { turn: { id: "V" } } })
    dialogue.push(Peer.turnStarted("V"))
    assert.deepStrictEqual(tags(dialogue.push(Peer.turnCompleted("V"))), ["TurnEnded"])
    assert.strictEqual(dialogue.standing(), "resting")
  })

  it("that was refused in the middle waits for the end", () => {
    const dialogue = Peer.inTurn("U")
    const [steer] = lines(dialogue.steer("late"))
    assert.isEmpty(dialogue.push(refused(steer.id, "not steerable")))
    const outputs = dialogue.push(Peer.turnCompleted("U"))
    assert.deepStrictEqual(tags(outputs), ["TurnEnded", "notice queued"])
    assert.strictEqual(lines(outputs)[0].params.input[0].text, "late")
  })
})

describe("an interrupt", () => {
  it("waits until the turn has started", () => {
    const { dialogue, open } = Peer.makePeer()
    open()
    assert.isEmpty(dialogue.interrupt())
    const [start] = lines(dialogue.turn("go"))
    assert.isEmpty(dialogue.interrupt())
    assert.isEmpty(dialogue.push({ id: start.id, result: { turn: { id: "U" } } }))
    const [interrupt] = lines(dialogue.push(Peer.turnStarted("U")))
    assert.deepStrictEqual([interrupt.method, interrupt.params], ["turn/interrupt", { threadId, turnId: "U" }])
  })

  const interrupted = () => {
    const dialogue = Peer.inTurn("U")
    dialogue.push(Peer.itemStarted("U", Peer.command("c")))
    dialogue.interrupt()
    const [list, clean] = lines(dialogue.push(Peer.turnCompleted("U", "interrupted")))
    return { dialogue, list, clean }
  }

  it("ends the turn when its commands are gone", () => {
    const { dialogue, list, clean } = interrupted()
    assert.isEmpty(dialogue.push({ id: list.id, result: { data: [{ itemId: "c" }] } }))
    assert.isEmpty(dialogue.push({ id: clean.id, result: {} }))
    assert.strictEqual(dialogue.standing(), "working")
    const outputs = dialogue.push(Peer.itemCompleted("U", Peer.command("c", { status: "failed", exitCode: -1 })))
    assert.deepStrictEqual(tags(outputs), ["tool_result", "TurnEnded"])
    assert.strictEqual(dialogue.standing(), "resting")
  })

  it("waits for no command that does not run, or cannot be ended", () => {
    const idle = interrupted()
    idle.dialogue.push({ id: idle.list.id, result: { data: [] } })
    assert.include(tags(idle.dialogue.push({ id: idle.clean.id, result: {} })), "TurnEnded")
    const refusing = interrupted()
    refusing.dialogue.push(refused(refusing.list.id, "no"))
    assert.include(tags(refusing.dialogue.push(refused(refusing.clean.id, "no"))), "TurnEnded")
  })
})

describe("what the model says", () => {
  const texts = (...given: ReadonlyArray<Json>) => {
    const dialogue = Peer.inTurn("U")
    return given.flatMap((line) =>
      others(dialogue.push(line)).map(({ type, kind, text, data }) =>
        type === "text" ? text : kind === "retry" ? kind : data.characters
      )
    )
  }
  const retry = Peer.notify("error", { error: { message: "Reconnecting... 1/2" }, willRetry: true, turnId: "U" })
  const delta = (id: string, text: string) => Peer.delta("U", id, text)
  const said = (id: string, text: string) => Peer.said("U", id, text)

  it("is completed by the item, and never doubled", () => {
    assert.deepStrictEqual(texts(delta("a", "Hel"), said("a", "Hello")), ["Hel", "lo"])
    assert.deepStrictEqual(texts(delta("a", "Hello"), said("a", "Hello")), ["Hello"])
    assert.deepStrictEqual(texts(said("a", "Hello"), said("b", "you")), ["Hello", "\n\nyou"])
    assert.deepStrictEqual(texts(delta("a", "Hex"), said("a", "Hello")), ["Hex", 3, "Hello"])
  })

  it("is void where the connection broke inside it", () => {
    assert.deepStrictEqual(texts(said("a", "One"), delta("b", "Tw"), retry), ["One", "\n\nTw", 4, "retry"])
  })

  it("is not said again after a retry", () => {
    const again = [delta("c", "One"), said("c", "One"), said("d", "Two")]
    assert.deepStrictEqual(texts(said("a", "One"), retry, ...again), ["One", "retry", "\n\nTwo"])
  })

  it("stays where a steer cut it, also after a retry", () => {
    const steered = Peer.itemStarted("U", { type: "userMessage", id: "u" })
    assert.deepStrictEqual(texts(delta("a", "On"), steered, retry, said("b", "Two")), ["On", "retry", "\n\nTwo"])
  })
})

describe("a call of a tool", () => {
  const told = (item: Json) => {
    const outputs = Peer.inTurn("U").push(Peer.itemCompleted("U", item))
    const [use, result] = others(outputs)
    return [use.toolName, use.kind, use.title, use.input, result.output, result.isError]
  }
  const threads = { receiverThreadIds: ["T2"], agentsStates: { T2: { status: "pendingInit", message: null } } }

  it.each([
    [
      { type: "collabAgentToolCall", id: "a", tool: "spawnAgent", prompt: "look", status: "completed", ...threads },
      ["spawn_agent", "subagent", "look", { prompt: "look", threads: ["T2"] }, "T2: pending_init", false]
    ],
    [
      { type: "webSearch", id: "a", query: "reins", action: null },
      ["web_search", "web", "reins", { query: "reins", action: null }, "", false]
    ],
    [
      { type: "fileChange", id: "a", status: "failed", changes: [{ path: "/w/a", kind: { type: "add" }, diff: "x" }] },
      [
        "file_change",
        "file_change",
        "add /w/a",
        { changes: [{ path: "/w/a", kind: "add", diff: "x" }] },
        "add /w/a",
        true
      ]
    ],
    [
      { type: "dynamicToolCall", id: "a", namespace: null, tool: "t", arguments: {}, success: false, contentItems: [] },
      ["t", "other", "t", {}, "", true]
    ]
  ])("looks as it does in a run: %j", (item, expected) => {
    assert.deepStrictEqual(told(item), expected)
  })

  it("that nobody knows is kept", () => {
    const raw = Peer.itemCompleted("U", { type: "hologram", id: "h" })
    assert.deepStrictEqual(Peer.inTurn("U").push(raw), [{ type: "unknown", raw }])
  })

  it("that Codex declined by itself is a denial of the turn", () => {
    const dialogue = Peer.inTurn("U")
    const outputs = dialogue.push(Peer.itemCompleted("U", Peer.command("c", { status: "declined" })))
    assert.deepStrictEqual(tags(outputs), ["tool_use command", "notice permission_denied", "tool_result"])
    const [ended] = others(dialogue.push(Peer.turnCompleted("U")))
    assert.deepStrictEqual(ended.report.permissionDenials, [{ toolName: "command_execution", toolId: "c" }])
  })
})

describe("strangers", () => {
  const foreign = { threadId: "another" }

  it.each([
    ["an unknown method", { method: "currentTime/read", id: 7, params: { threadId } }],
    ["another thread", { ...Peer.asks("commandExecution", 7, "U"), params: { ...foreign, turnId: "U", itemId: "c" } }],
    ["another form", { ...Peer.asks("commandExecution", 7, "U"), params: { threadId } }]
  ])("that ask are answered at once, and kept: %s", (_, request) => {
    const outputs = Peer.inTurn("U").push(request)
    assert.deepStrictEqual(
      lines(outputs).map(({ id, error }) => [id, error.code]),
      [[7, -32601]]
    )
    assert.deepStrictEqual(others(outputs), [{ type: "unknown", raw: request }])
  })

  it("that tell are kept, those of a sub-agent and noise are not", () => {
    const dialogue = Peer.inTurn("U")
    const raw = Peer.notify("thread/dreams", {})
    assert.deepStrictEqual(dialogue.push(raw), [{ type: "unknown", raw }])
    assert.isEmpty(dialogue.push(Peer.notify("turn/completed", { ...foreign, turn: { id: "U", status: "failed" } })))
    assert.isEmpty(dialogue.push(Peer.notify("account/rateLimits/updated", {})))
    assert.isEmpty(dialogue.push(Peer.turnCompleted("another turn")))
  })

  it("that close the session end it", () => {
    assert.deepStrictEqual(tags(Peer.inTurn("U").push(Peer.notify("thread/closed", {}))), ["Failed"])
  })
})

describe("a function of the host", () => {
  const call = (id: number, a: number) => ({
    method: "item/tool/call",
    id,
    params: { threadId, turnId: "U", callId: `c${id}`, namespace: "host", tool: "add", arguments: { a } }
  })

  it("is called when its server has been greeted, and answers as MCP does", () => {
    const dialogue = Peer.inTurn("U", { tools: [add] })
    const [greeting] = others(dialogue.push(call(0, 1)))
    assert.strictEqual(greeting.message.method, "initialize")
    assert.isEmpty(dialogue.push(call(1, 2)))
    const calls = others(dialogue.reply(greeting.callId, { result: {} }))
    assert.deepStrictEqual(
      calls.map(({ callId, message }) => [callId, message.method, message.params?.arguments]),
      [
        ["mcp-initialized", "notifications/initialized", undefined],
        ["0", "tools/call", { a: 1 }],
        ["1", "tools/call", { a: 2 }]
      ]
    )
    const result = { content: [{ type: "text", text: "3" }], isError: false }
    const [good] = lines(dialogue.reply("0", { result }))
    assert.deepStrictEqual(good.result, { contentItems: [{ type: "inputText", text: "3" }], success: true })
    const [bad] = lines(dialogue.reply("1", { error: { message: "no" } }))
    assert.deepStrictEqual(bad.result, { contentItems: [{ type: "inputText", text: "no" }], success: false })
  })

  it("is given up when the turn is interrupted", () => {
    const dialogue = Peer.inTurn("U", { tools: [add] })
    dialogue.push(call(0, 1))
    const outputs = dialogue.interrupt()
    assert.deepStrictEqual(tags(outputs), ["Withdrawn"])
    assert.strictEqual(lines(outputs)[1].result.success, false)
    assert.isEmpty(dialogue.reply("0", { result: { content: [] } }))
  })
})
