/** Lines of other threads and unknown lines are kept or answered at once, and disturb no turn. */
import { assert, describe, it } from "vitest"
import * as Peer from "./peer.ts"

const { lines, others, tags, threadId } = Peer

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

  it("with content are kept, those of a sub-agent and noise are not", () => {
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

  it("that ask about an MCP call nested 100,000 deep are asked about, and answered", () => {
    let deep: object = {}
    for (let depth = 0; depth < 100_000; depth++) deep = { deep }
    const dialogue = Peer.inTurn("U")
    const facts = { codex_approval_kind: "mcp_tool_call", tool_name: "add", tool_params: deep }
    const params = { threadId, turnId: "U", serverName: "tiny", mode: "form", message: "May it?", _meta: facts }
    const outputs = dialogue.push({ method: "mcpServer/elicitation/request", id: 7, params })
    assert.include(tags(outputs), "Asked")
    const answers = lines(dialogue.decide("7", { decision: "deny", message: "no" }))
    assert.include(
      answers.map(({ id }) => id),
      7
    )
  })
})
