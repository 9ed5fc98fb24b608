/** Codex's calls of the host's functions: carried to their MCP server and back, and abandoned with the turn. */
import { assert, describe, it } from "vitest"
import * as Peer from "./peer.ts"

const { lines, others, tags, threadId } = Peer

describe("a function of the host", () => {
  const call = (id: number, a: number) => ({
    method: "item/tool/call",
    id,
    params: { threadId, turnId: "U", callId: `c${id}`, namespace: "host", tool: "add", arguments: { a } }
  })

  it("is called when its server has been greeted, and answers as MCP does", () => {
    const dialogue = Peer.inTurn("U", { tools: [Peer.add] })
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

  it("is abandoned when the turn is interrupted", () => {
    const dialogue = Peer.inTurn("U", { tools: [Peer.add] })
    dialogue.push(call(0, 1))
    const outputs = dialogue.interrupt()
    assert.deepStrictEqual(tags(outputs), ["Withdrawn"])
    assert.strictEqual(lines(outputs)[1].result.success, false)
    assert.isEmpty(dialogue.reply("0", { result: { content: [] } }))
  })
})
