/** An agent's requests for permission: answered by its own choices, and withdrawn with what they were for. */
import { assert, describe, it } from "vitest"
import { isAction } from "../../../../src/cli/Live.ts"
import type { AgentOpenParams } from "../../../../src/contract/AgentOpenParams.ts"
import { ask, askWith, cancelled, options, outcomes, selected } from "./asking.ts"
import { printed, prompted, result, update } from "./talk.ts"

describe("a permission", () => {
  it.each([
    ["allow", { decision: "allow" }, options, selected("yes")],
    ["deny", { decision: "deny", message: "no" }, options, selected("no")],
    ["allow, where only always is offered", { decision: "allow" }, options.slice(0, 1), cancelled],
    ["deny, where only never is offered", { decision: "deny", message: "no" }, options.slice(0, 3), cancelled]
  ] as const)("%s", (_, decision, input, expected) => {
    const { dialogue } = prompted()
    const [use, request] = dialogue.push(ask(0, input))
    assert.deepInclude(use, { type: "tool_use", toolId: "call" })
    assert.deepInclude(JSON.parse(JSON.stringify(request)).ask, {
      requestId: "permission-1",
      toolId: "call",
      command: "echo one",
      takesInput: false
    })
    assert.deepStrictEqual(outcomes(dialogue.decide("permission-1", decision)), [[0, expected]])
    assert.deepStrictEqual(dialogue.decide("permission-1", decision), [])
  })

  it.each<[string, AgentOpenParams, string, boolean, number]>([
    ["a command", {}, "execute", false, 1],
    ["a command that was asked for", {}, "execute", true, 0],
    ["a change of a file", {}, "delete", false, 1],
    ["a change of a file, which the mode allows", { permissionMode: "accept-edits" }, "edit", false, 0],
    ["a command in that mode", { permissionMode: "accept-edits" }, "execute", false, 1],
    ["anything, with bypass", { permissionMode: "bypass" }, "execute", false, 0],
    ["a look", {}, "read", false, 0]
  ])("that was expected and not asked for is told once in a session: %s", (_, params, kind, isAsked, times) => {
    const { dialogue } = prompted(params)
    const events = ["one", "two"].flatMap((toolCallId) => {
      const call = { toolCallId, title: "rm -rf x", kind, rawInput: { command: "rm -rf x" } }
      const request = isAsked ? dialogue.push(ask(7, options, toolCallId)) : []
      return [
        ...dialogue.push(update("s", { sessionUpdate: "tool_call", ...call, status: "in_progress" })),
        ...request,
        ...dialogue.push(update("s", { sessionUpdate: "tool_call_update", toolCallId, status: "completed" }))
      ]
    })
    const notices = events.filter((event) => "type" in event && event.type === "notice")
    assert.lengthOf(notices, times)
    for (const notice of notices) assert.deepInclude(notice, { data: { toolName: kind, toolId: "one" } })
  })

  it("that is denied with an interrupt ends the turn, and the other requests", () => {
    const { dialogue } = prompted()
    dialogue.push(ask(0))
    dialogue.push(ask(1, options, "other"))
    const outputs = dialogue.decide("permission-1", { decision: "deny", message: "no", interrupt: true })
    assert.deepStrictEqual(
      printed(outputs).map(({ id, method }) => [id, method]),
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

  it.each([
    ["arguments", { args: ["push", "--force"] }, true],
    ["variables", { env: { GIT_PAGER: "touch pwned" } }, true],
    ["nothing", { args: [], env: {} }, false],
    ["what changes nothing", { description: "as asked", timeout: 10 }, false]
  ])("for a command with %s beside it: uncertain", (_, more, isUncertain) => {
    const { dialogue } = prompted()
    const [, request] = dialogue.push(askWith(0, { command: "git", ...more }))
    assert.strictEqual(JSON.parse(JSON.stringify(request)).ask.isCommandUncertain, isUncertain ? true : undefined)
  })
})
