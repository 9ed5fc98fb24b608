/** Rules that deny are checked by a hook before any tool is called; without them the hook is absent. */
import { expect, it } from "vitest"
import * as Approvals from "../../../../src/agents/Approvals.ts"
import { makeDialogue } from "../../../../src/cli/claude/live/dialogue.ts"
import type { AgentOpenParams } from "../../../../src/contract/AgentOpenParams.ts"

const opened = (params: AgentOpenParams) => {
  const dialogue = makeDialogue(params)
  return { dialogue, lines: JSON.stringify(dialogue.open()) }
}

const request = {
  subtype: "hook_callback",
  callback_id: "rules",
  input: { hook_event_name: "PreToolUse", tool_name: "Read", tool_input: { file_path: "/w/.env" } },
  tool_use_id: "t1"
}
const line = { type: "control_request", request_id: "r1", request }
const answer = (response: unknown) => ({
  _tag: "Write",
  json: { type: "control_response", response: { subtype: "success", request_id: "r1", response } }
})

it.each([
  ["is there for a rule that denies", { approvals: [Approvals.ask(), Approvals.deny()] }, true],
  [
    "is there beside hooks of the caller",
    { approvals: [Approvals.deny()], hooks: [{ event: "PreToolUse", run: () => undefined }] },
    true
  ],
  ["is not there for other rules", { approvals: [Approvals.ask(), Approvals.allow()] }, false],
  ["is not there without rules", {}, false]
] as const)("the hook %s", (_, params, isThere) => {
  const { dialogue, lines } = opened(params)
  expect(lines.includes('"hookCallbackIds":["rules"]')).toBe(isThere)
  expect(JSON.stringify(dialogue.push(line)).includes('"Checked"')).toBe(isThere)
})

it.each([
  [
    "what is forbidden",
    "No.",
    { hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "deny", permissionDecisionReason: "No." } }
  ],
  ["what is not", undefined, {}]
])("tells %s, once", (_, reason, response) => {
  const { dialogue } = opened({ approvals: [Approvals.deny()] })
  expect(dialogue.push(line)).toMatchObject([
    { type: "tool_use", toolId: "t1", toolName: "Read" },
    { _tag: "Checked", callId: "r1", ask: { toolName: "Read", kind: "read", paths: ["/w/.env"] } }
  ])
  expect(dialogue.reply("r1", reason)).toEqual([answer(response)])
  expect(dialogue.reply("r1", reason)).toEqual([])
})
