/** How a live session starts where the CLI ignores a setting, and which prompts would be commands of the CLI. */
import { assert, describe, it } from "vitest"
import { live } from "../../../../src/cli/gemini/index.ts"
import type { Output } from "../../../../src/cli/Live.ts"
import type { AgentOpenParams } from "../../../../src/contract/AgentOpenParams.ts"

const context = { workingDirectory: "/workspace", privateDirectory: "/private" }

const modes = ["default", "autoEdit", "yolo", "plan"].map((id) => ({ id }))
const sessionId = "24490a39"

/** Up to the answer to `session/new`. */
const opened = (params: AgentOpenParams, currentModeId = "default") => {
  const dialogue = live.dialogue(params, context)
  dialogue.open()
  dialogue.push({ jsonrpc: "2.0", id: 1, result: { protocolVersion: 1 } })
  const result = { sessionId, modes: { availableModes: modes, currentModeId } }
  return { dialogue, outputs: dialogue.push({ jsonrpc: "2.0", id: 2, result }) }
}

const plain = (outputs: ReadonlyArray<Output>) => JSON.parse(JSON.stringify(outputs))

describe("a requested mode", () => {
  it("is not requested again if it is in effect", () => {
    const { dialogue, outputs } = opened({ permissionMode: "accept-edits" }, "autoEdit")
    assert.deepStrictEqual(plain(outputs).at(-1), { _tag: "Opened" })
    assert.strictEqual(dialogue.standing(), "resting")
  })

  it("is requested if it is not in effect, and without it no session opens", () => {
    const { dialogue, outputs } = opened({ permissionMode: "bypass" })
    assert.deepStrictEqual(plain(outputs), [
      {
        _tag: "Write",
        json: { jsonrpc: "2.0", id: 3, method: "session/set_mode", params: { sessionId, modeId: "yolo" } }
      }
    ])
    const error = { code: -32603, message: "Internal error", data: { details: "Cannot enable privileged modes" } }
    const [failed] = plain(dialogue.push({ jsonrpc: "2.0", id: 3, error }))
    assert.deepInclude(failed, { _tag: "Failed" })
    assert.include(failed.reason.detail, "Cannot enable privileged modes")
  })

  it("is left to the CLI where none was", () => {
    assert.deepStrictEqual(plain(opened({}, "plan").outputs).at(-1), { _tag: "Opened" })
  })
})

describe("a prompt", () => {
  const sent = (prompt: string, params: AgentOpenParams = {}) =>
    plain(opened(params).dialogue.turn(prompt))[0].json.params.prompt

  it.each([
    ["/help", "\u200B/help"],
    [" \n/help", "\u200B \n/help"],
    ["$help", "\u200B$help"],
    ["help /help $help", "help /help $help"],
    ["", ""]
  ])("%j is %j", (prompt, text) => {
    assert.deepStrictEqual(sent(prompt), [{ type: "text", text }])
  })

  it("is a command where that is wanted", () => {
    assert.deepStrictEqual(sent("/help", { slashCommands: true }), [{ type: "text", text: "/help" }])
  })
})

describe("an invalid message", () => {
  it.each([
    null,
    5,
    "text",
    [[1]],
    {},
    { method: "session/update" },
    { method: "session/update", params: { update: 1 } }
  ])("as %j is kept and does no harm", (raw) => {
    const { dialogue } = opened({})
    assert.deepStrictEqual(plain(dialogue.push(raw)), [{ type: "unknown", raw }])
    assert.strictEqual(dialogue.standing(), "resting")
  })
})
