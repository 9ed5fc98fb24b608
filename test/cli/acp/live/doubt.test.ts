/**
 * A permission request is decided by its own content; where the announcement of its call differs, no rule allows it.
 */
import { assert, describe, it } from "vitest"
import * as Approvals from "../../../../src/agents/Approvals.ts"
import { makeApprover } from "../../../../src/agents/approvals/approver.ts"
import { acpDialogue } from "../../../../src/cli/acp/live/dialogue.ts"
import { isAction } from "../../../../src/cli/Live.ts"
import type { PermissionAsk } from "../../../../src/contract/Rule.ts"
import type { PermissionRequestEvent } from "../../../../src/contract/SessionEvent.ts"

type Json = Readonly<Record<string, unknown>>

const context = { workingDirectory: "/w", privateDirectory: "/p" }
const options = [{ optionId: "o", name: "Allow", kind: "allow_once" }]

/** The request that is asked after the announcement of its call. */
const askedAfter = (announced: Json, requested: Json): PermissionAsk | undefined => {
  const dialogue = acpDialogue({ id: "some" })({}, context)
  let id = 0
  const answer = (result: Json) => dialogue.push({ jsonrpc: "2.0", id: ++id, result })
  dialogue.open()
  answer({ protocolVersion: 1, agentCapabilities: {} })
  answer({ sessionId: "s" })
  dialogue.turn("go")
  const call = { sessionUpdate: "tool_call", toolCallId: "c", kind: "execute", status: "pending", ...announced }
  dialogue.push({ jsonrpc: "2.0", method: "session/update", params: { sessionId: "s", update: call } })
  const toolCall = { toolCallId: "c", kind: "execute", ...requested }
  const params = { sessionId: "s", options, toolCall }
  const outputs = dialogue.push({ jsonrpc: "2.0", id: 7, method: "session/request_permission", params })
  return outputs.flatMap((output) => (isAction(output) && output._tag === "Asked" ? [output.ask] : []))[0]
}

const command = (text: string) => ({ title: text, rawInput: { command: text } })

/** The ruling of what a session would make of it, by the words that old and new requests have. */
const ruled = (ask: PermissionAsk | undefined, rules: ReadonlyArray<Approvals.ApprovalRule>) => {
  assert.isDefined(ask)
  const request = { type: "permission_request", escalated: false, scopes: [], ...ask } as PermissionRequestEvent // as the session
  const ruling = makeApprover(rules, {
    workingDirectory: "/w",
    now: () => 0,
    textLength: () => 0,
    turn: () => 1
  }).consider(request)
  return ruling._tag === "Decided" ? ruling.decision.decision : "ask"
}

const git = [Approvals.allow({ commands: ["git *"] })]
const table: ReadonlyArray<readonly [string, Json, Json, "allow" | "deny"]> = [
  ["the same", command("git status"), command("git status"), "allow"],
  ["nothing said again", command("git status"), {}, "allow"],
  ["nothing announced", {}, command("git status"), "allow"],
  ["another command", command("git status"), command("rm -rf /"), "deny"],
  ["a harmless one, of a harmful one", command("rm -rf /"), command("git status"), "deny"],
  ["another title without an input", { title: "git status" }, { title: "rm -rf /" }, "deny"],
  ["more of an input", command("git status"), { rawInput: { command: "git status", cwd: "/" } }, "deny"]
]

describe("a request compared with its announcement", () => {
  it.each(table)("%s", (_, announced, requested, expected) => {
    assert.strictEqual(ruled(askedAfter(announced, requested), git), expected)
  })

  it("is shown as it is asked, with its announcement beside it", () => {
    const ask = askedAfter(command("git status"), command("rm -rf /"))
    assert.deepInclude(ask, { command: "rm -rf /", input: { command: "rm -rf /" } })
    assert.include(ask?.doubt, "git status")
    assert.strictEqual(ruled(ask, [Approvals.deny({ commands: ["rm *"] }), Approvals.ask()]), "deny")
    assert.strictEqual(ruled(ask, [Approvals.allow(), Approvals.ask()]), "ask")
  })
})
