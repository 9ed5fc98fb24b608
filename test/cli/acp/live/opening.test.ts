/** How a session with an unknown agent opens: by the capabilities it reports, or not at all. */
import { assert, describe, it } from "vitest"
import { genericFlavor } from "../../../../src/cli/acp/index.ts"
import { acpDialogue } from "../../../../src/cli/acp/live/dialogue.ts"
import type { AgentOpenParams } from "../../../../src/contract/AgentOpenParams.ts"
import { printed, result, update } from "./talk.ts"

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
    const [line] = printed(begun(params, capable).outputs)
    assert.deepStrictEqual([line?.method, line?.params], [method, expected])
  })

  it("loads where the agent cannot resume, and its history gives no events", () => {
    const { dialogue, outputs } = begun({ sessionId: "old" }, { agentCapabilities: { loadSession: true } })
    assert.strictEqual(printed(outputs)[0]?.method, "session/load")
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

  it("gives the cause of a failure", () => {
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
      lines.flatMap(printed).map(({ params }) => params),
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
