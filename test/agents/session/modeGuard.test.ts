/** When a live session may report which permission mode, whatever is changed, allowed and refused in between. */
import { describe, expect, it } from "vitest"
import { makeModeGuard } from "../../../src/agents/session/changes.ts"
import { clis } from "../../../src/cli/clis.ts"
import { isAction, type Output } from "../../../src/cli/Live.ts"
import type { PermissionMode } from "../../../src/contract/AgentExecuteParams.ts"

const words = { plan: "plan", default: "default", "accept-edits": "acceptEdits", bypass: "bypassPermissions" } as const
const session = (mode: PermissionMode): Output => ({ type: "session", sessionId: "s", permissionMode: words[mode] })
const text: Output = { type: "text", text: "later" }
const open = (mode?: PermissionMode) => {
  const guard = makeModeGuard(clis.claude, mode)
  /** Whether the session goes on after such a report. */
  const reports = (reported: PermissionMode) => {
    const outputs = guard.checked([session(reported), text])
    const isGood = outputs.length === 2 && outputs[1] === text
    if (!isGood)
      expect(outputs.map((output) => (isAction(output) ? output._tag : output.type))).toEqual(["session", "Failed"])
    return isGood
  }
  const change = (permissionMode: PermissionMode) => guard.requested("c", permissionMode)
  const changed = (problem?: string) =>
    guard.checked([{ _tag: "Changed", changeId: "c", ...(problem === undefined ? {} : { problem }) }])
  return { reports, change, changed, turn: guard.turnBegins, planAllowed: guard.planAllowed }
}

describe("the mode that a live session reports", () => {
  it("is what was asked for or stricter, in every turn", () => {
    const { reports, turn } = open("default")
    expect([reports("default"), reports("plan"), reports("accept-edits")]).toEqual([true, true, false])
    turn()
    expect([reports("default"), reports("bypass")]).toEqual([true, false])
  })

  it("is anything where nothing was asked for", () => expect(open().reports("bypass")).toBe(true))

  it("is weaker as soon as that is asked for, and stays so when it is granted", () => {
    const { reports, change, changed, turn } = open("plan")
    change("accept-edits")
    expect([reports("accept-edits"), reports("bypass")]).toEqual([true, false])
    changed()
    turn()
    expect([reports("accept-edits"), reports("bypass")]).toEqual([true, false])
  })

  it("is not weaker in the next turn where the change was refused", () => {
    const { reports, change, changed, turn } = open("plan")
    change("bypass")
    changed("not as root")
    turn()
    expect(reports("default")).toBe(false)
  })

  it("is stricter from the next turn on", () => {
    const { reports, change, changed, turn } = open("bypass")
    change("plan")
    changed()
    expect(reports("bypass")).toBe(true)
    turn()
    expect([reports("plan"), reports("bypass")]).toEqual([true, false])
  })

  it("may be either while a change is under way", () => {
    const { reports, change, turn } = open("plan")
    change("accept-edits")
    turn()
    expect([reports("plan"), reports("accept-edits"), reports("bypass")]).toEqual([true, true, false])
  })

  it("must be stricter from the next turn on, also where nothing was asked for at first", () => {
    const { reports, change, changed, turn } = open()
    change("default")
    changed()
    turn()
    expect(reports("bypass")).toBe(false)
  })

  it("is what it was before plan mode once a plan is allowed, and not before", () => {
    expect(open("plan").reports("default")).toBe(false)
    const allowed = open("plan")
    allowed.planAllowed()
    expect([allowed.reports("default"), allowed.reports("accept-edits")]).toEqual([true, false])
    const back = open("accept-edits")
    back.change("plan")
    back.changed()
    back.turn()
    expect(back.reports("accept-edits")).toBe(false)
    back.planAllowed()
    back.turn()
    expect([back.reports("accept-edits"), back.reports("bypass")]).toEqual([true, false])
  })
})
