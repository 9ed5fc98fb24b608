/** Changes of the model and of the mode in mid-session, and their outcome. */
import { assert, describe, it } from "vitest"
import { ask, outcomes, selected } from "./asking.ts"
import { opened, printed, result, talk } from "./talk.ts"

describe("a change", () => {
  it("has its outcome", () => {
    const { dialogue } = talk({}, { sessionId: "s", models: { currentModelId: "a" } })
    const [line] = printed(dialogue.change("c1", { _tag: "Model", model: "b" }))
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
