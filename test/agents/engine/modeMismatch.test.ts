/** Which reported permission modes are weaker than the one that was asked for, in the words of each CLI. */
import { describe, expect, it } from "vitest"
import { modeMismatch } from "../../../src/agents/engine/sessionChecks.ts"
import { type CliId, clis } from "../../../src/cli/clis.ts"
import type { PermissionMode } from "../../../src/contract/AgentExecuteParams.ts"

const modes = ["plan", "default", "accept-edits", "bypass"] as const

/** The first mode that matches each word. */
const words: { readonly [Id in CliId]: ReadonlyArray<readonly [word: string, enough: PermissionMode]> } = {
  claude: [
    ["plan", "plan"],
    ["default", "default"],
    ["manual", "default"],
    ["dontAsk", "default"],
    ["acceptEdits", "accept-edits"],
    ["bypassPermissions", "bypass"],
    ["auto", "bypass"],
    ["planned", "bypass"],
    ["", "bypass"],
    ["__proto__", "bypass"]
  ],
  codex: [
    ["untrusted readOnly", "plan"],
    ["untrusted workspaceWrite", "default"],
    ["untrusted dangerFullAccess", "bypass"],
    ["never readOnly", "bypass"],
    ["on-request workspaceWrite", "bypass"],
    ["never dangerFullAccess", "bypass"],
    ["readOnly", "bypass"]
  ],
  gemini: [
    ["plan", "plan"],
    ["default", "default"],
    ["autoEdit", "accept-edits"],
    ["yolo", "bypass"],
    ["new", "bypass"]
  ],
  opencode: [
    ["plan", "plan"],
    ["build", "default"],
    ["mine", "default"]
  ],
  pi: []
}

const cases = Object.entries(words).flatMap(([id, rows]) => rows.map((row) => [id as CliId, ...row] as const))

describe("a mode that is reported", () => {
  it.each(cases)("%s: %j is enough for %s and what is weaker", (id, permissionMode, enough) => {
    const event = { type: "session", sessionId: "s", permissionMode } as const
    const right = modes.filter((request) => modeMismatch(clis[id], request, event) === undefined)
    expect(right).toEqual(modes.slice(modes.indexOf(enough)))
    expect(modeMismatch(clis[id], undefined, event)).toBeUndefined()
  })

  it("that is invalid, or of an agent whose words have no meaning, does not count as a mismatch", () => {
    expect(modeMismatch(clis.claude, "plan", { type: "session", sessionId: "s" })).toBeUndefined()
    const event = { type: "session", sessionId: "s", permissionMode: "anything" } as const
    expect(modeMismatch({}, "plan", event)).toBeUndefined()
    expect(modeMismatch(clis.claude, "plan", { type: "text", text: "bypassPermissions" })).toBeUndefined()
  })

  it("names both modes, is a matter of permission, and no reason to try again", () => {
    const event = { type: "session", sessionId: "s", permissionMode: "bypassPermissions" } as const
    expect(modeMismatch(clis.claude, "plan", event)).toMatchObject({
      code: "permission_mode_mismatch",
      category: "permission",
      retryable: false,
      message: 'permissionMode is "plan", but the CLI reports "bypassPermissions"'
    })
  })
})
