/** Events of a turn's items: texts once and whole, whatever breaks in between, and tool calls as in a run. */
import { assert, describe, it } from "vitest"
import * as Peer from "./peer.ts"
import type { Json } from "./player.ts"

const { others, tags } = Peer

describe("the model's text", () => {
  const texts = (...input: ReadonlyArray<Json>) => {
    const dialogue = Peer.inTurn("U")
    return input.flatMap((line) =>
      others(dialogue.push(line)).map(({ type, kind, text, data }) =>
        type === "text" ? text : kind === "retry" ? kind : data.characters
      )
    )
  }
  const retry = Peer.notify("error", { error: { message: "Reconnecting... 1/2" }, willRetry: true, turnId: "U" })
  const delta = (id: string, text: string) => Peer.delta("U", id, text)
  const content = (id: string, text: string) => Peer.content("U", id, text)

  it("is completed by the item, and never doubled", () => {
    assert.deepStrictEqual(texts(delta("a", "Hel"), content("a", "Hello")), ["Hel", "lo"])
    assert.deepStrictEqual(texts(delta("a", "Hello"), content("a", "Hello")), ["Hello"])
    assert.deepStrictEqual(texts(content("a", "Hello"), content("b", "you")), ["Hello", "\n\nyou"])
    assert.deepStrictEqual(texts(delta("a", "Hex"), content("a", "Hello")), ["Hex", 3, "Hello"])
  })

  it("is void where the connection broke inside it", () => {
    assert.deepStrictEqual(texts(content("a", "One"), delta("b", "Tw"), retry), ["One", "\n\nTw", 4, "retry"])
  })

  it("does not come again after a retry", () => {
    const again = [delta("c", "One"), content("c", "One"), content("d", "Two")]
    assert.deepStrictEqual(texts(content("a", "One"), retry, ...again), ["One", "retry", "\n\nTwo"])
  })

  it("stays where a steer cut it, also after a retry", () => {
    const steered = Peer.itemStarted("U", { type: "userMessage", id: "u" })
    assert.deepStrictEqual(texts(delta("a", "On"), steered, retry, content("b", "Two")), ["On", "retry", "\n\nTwo"])
  })
})

describe("a command", () => {
  const outcome = (more: Json) =>
    others(Peer.inTurn("U").push(Peer.itemCompleted("U", Peer.command("c", { status: "completed", ...more }))))[1]

  it("has its exit code", () => {
    assert.deepInclude(outcome({ exitCode: 0 }), { isError: false, exitCode: 0 })
    assert.deepInclude(outcome({ exitCode: 3, status: "failed" }), { isError: true, exitCode: 3 })
  })

  it("that the turn has abandoned did not finish", () => {
    const abandoned = outcome({ exitCode: null, aggregatedOutput: "start\n" })
    assert.deepInclude(abandoned, { output: "start\n\ndid not finish", isError: true })
    assert.notProperty(abandoned, "exitCode")
  })
})

describe("a call of a tool", () => {
  const visible = (item: Json) => {
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
    assert.deepStrictEqual(visible(item), expected)
  })

  it("that is unknown is kept", () => {
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
