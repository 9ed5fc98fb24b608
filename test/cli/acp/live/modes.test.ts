/** Agents whose modes are known: `permissionMode` sets the mode that keeps it, or is refused before the first turn. */
import { assert, describe, it } from "vitest"
import { acpAgents } from "../../../../src/cli/acp/agents.ts"
import { genericFlavor } from "../../../../src/cli/acp/index.ts"
import { acpDialogue } from "../../../../src/cli/acp/live/dialogue.ts"
import type { PermissionMode } from "../../../../src/contract/AgentExecuteParams.ts"
import { printed, result, talk } from "./talk.ts"

const modes = { default: "manual", plan: "look", "accept-edits": "edit", bypass: "manual" }
const flavor = genericFlavor("x", { modes })
const offered = (currentModeId: string, ...ids: ReadonlyArray<string>) => ({
  sessionId: "s",
  modes: { currentModeId, availableModes: ids.map((id) => ({ id, name: id })) }
})
const all = offered("auto", "auto", "manual", "look", "edit")

/** The outputs behind the agent's consent to the mode. */
const opening = (permissionMode: PermissionMode, session: object) => {
  const { dialogue } = talk({ permissionMode }, session, flavor)
  const outputs = dialogue.push(result(3, {}))
  return { standing: dialogue.standing(), outputs }
}

describe("the permission mode of an agent with known modes", () => {
  it.each([
    ["default", "manual"],
    ["plan", "look"],
    ["accept-edits", "edit"],
    ["bypass", "manual"]
  ] as const)("%s is its mode %s", (permissionMode, modeId) => {
    const { standing, outputs } = opening(permissionMode, all)
    assert.strictEqual(standing, "resting")
    assert.deepInclude(outputs[0], { type: "session", permissionMode: modeId })
  })

  it("is not asked for where it is there, or where none is wanted", () => {
    for (const mode of ["default", undefined] as const) {
      const { dialogue } = talk(mode === undefined ? {} : { permissionMode: mode }, offered("manual", "manual"), flavor)
      assert.strictEqual(dialogue.standing(), "resting")
    }
  })

  it.each([
    ["plan", "plan mode"],
    ["default", "permissionMode"],
    ["accept-edits", "permissionMode"]
  ] as const)("%s is refused where the agent does not offer its mode", (permissionMode, option) => {
    const dialogue = acpDialogue(flavor)(
      { permissionMode },
      { workingDirectory: "/work", privateDirectory: "/private" }
    )
    dialogue.open()
    dialogue.push(result(1, { protocolVersion: 1, agentCapabilities: {} }))
    const outputs = dialogue.push(result(2, offered("auto", "auto")))
    assert.deepInclude(outputs[0], { _tag: "Failed" })
    assert.include(JSON.stringify(outputs), option)
  })

  it.each([
    ["bypass", offered("auto", "auto")],
    ["default", { sessionId: "s" }]
  ] as const)("%s needs none where all is allowed, or where the agent has no modes", (permissionMode, session) => {
    assert.strictEqual(talk({ permissionMode }, session, flavor).dialogue.standing(), "resting")
  })

  it("changes with the session, or says that it cannot", () => {
    const { dialogue } = talk({}, all, flavor)
    const [line] = printed(dialogue.change("c1", { _tag: "PermissionMode", permissionMode: "accept-edits" }))
    assert.deepStrictEqual(line?.params, { sessionId: "s", modeId: "edit" })
    const poor = talk({}, offered("auto", "auto"), flavor).dialogue
    const [refused] = poor.change("c2", { _tag: "PermissionMode", permissionMode: "default" })
    assert.deepInclude(refused, { _tag: "Changed", problem: "this agent has no mode for default" })
  })
})

describe("the table", () => {
  it("has modes of tried agents alone, among them one that asks, unless the agent never does", () => {
    for (const [id, { modes: known, tried }] of Object.entries(acpAgents)) {
      if (known === undefined) continue
      assert.isDefined(tried, id)
      // Refused in all but `bypass`, or asking in `default`.
      if (Object.keys(known).length > 0) assert.isDefined(known.default, id)
    }
  })
})
