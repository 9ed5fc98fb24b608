/** How a session opens, and what it stands on, by lines that no recording has. */
import { assert, describe, it } from "vitest"
import { makeDialogue } from "../../../../src/cli/claude/live/dialogue.ts"
import { begun, granted, init, ofWork, only, opened, refused, result, session, writes } from "./lines.ts"

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

  it("fails with the CLI's last words", () => {
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

const task = { task_id: "b1", description: "work" }
const work = (tasks: ReadonlyArray<object>) => ({ type: "system", subtype: "background_tasks_changed", tasks })
const over = { type: "system", subtype: "task_notification", task_id: "b1", status: "completed" }
const ran = { type: "user", message: { content: [{ type: "tool_result", tool_use_id: "t1", content: "x" }] } }

describe("the session", () => {
  it("rests after work that ended while a tool ran, and not before work that is still to be reported", () => {
    const dialogue = begun()
    for (const line of [work([task]), over, work([])]) dialogue.push(line)
    dialogue.push(ran)
    dialogue.push(result())
    assert.strictEqual(dialogue.standing(), "resting")
    for (const line of [work([task]), over, work([])]) dialogue.push(line)
    assert.strictEqual(dialogue.standing(), "background")
    dialogue.push(init())
    dialogue.push(result(ofWork))
    assert.strictEqual(dialogue.standing(), "resting")
  })

  it("rests as soon as a tool's result has reported the work, also outside of a turn", () => {
    const dialogue = begun()
    dialogue.push(result())
    for (const line of [work([task]), over, work([])]) dialogue.push(line)
    assert.strictEqual(dialogue.standing(), "background")
    dialogue.push(ran)
    assert.strictEqual(dialogue.standing(), "resting")
  })
})
