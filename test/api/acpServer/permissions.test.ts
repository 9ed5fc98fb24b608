/** A request to the client, and its answer: only an offered and chosen option allows. */
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { answerOf, optionsOf, permissionParams, unanswered } from "../../../src/api/acpServer/permissions.ts"
import { PermissionRequestEvent } from "../../../src/contract/AgentEvent.ts"
import type { PlanAnswer } from "../../../src/contract/Rule.ts"
import { runs } from "../../kit/runs.ts"
import { assertConforms } from "./schema.ts"

const exact = { id: "exact", label: "this exact command", covers: "Only this." }
const request: PermissionRequestEvent = {
  type: "permission_request",
  requestId: "r1",
  toolName: "Bash",
  toolId: "t1",
  kind: "command",
  input: { command: "rm -r build" },
  title: "rm -r build",
  command: "rm -r build",
  escalated: true,
  preview: "! ESCALATED\n$ rm -r build\n```",
  reason: "outside of the sandbox",
  scopes: [exact]
}

const selected = (optionId: unknown) => ({ outcome: { outcome: "selected", optionId } })

describe("a request", () => {
  it("shows the whole request, as code", () => {
    const { toolCall, options } = permissionParams("s", request)
    assertConforms("RequestPermissionRequest", { sessionId: "s", toolCall, options })
    assert.deepStrictEqual(
      toolCall.content.map((content) => ("content" in content ? content.content.text : "")),
      ["````\n! ESCALATED\n$ rm -r build\n```\n````", "```\noutside of the sandbox\n```"]
    )
    assert.deepStrictEqual(options, [
      { optionId: "allow", name: "Allow", kind: "allow_once" },
      { optionId: "always:exact", name: "Always allow this exact command (Only this.)", kind: "allow_always" },
      { optionId: "reject", name: "Reject", kind: "reject_once" }
    ])
  })

  it("offers no scope that it could not name in full", () => {
    const long = { ...exact, id: "wide", covers: "x".repeat(400) }
    assert.deepStrictEqual(
      optionsOf({ ...request, scopes: [long, exact] }).map(({ optionId }) => optionId),
      ["allow", "always:exact", "reject"]
    )
  })

  it("for a plan is approved or worked on", () => {
    const plan = { ...request, kind: "plan", plan: "1. look", scopes: [] } as const
    assert.strictEqual(permissionParams("s", plan).toolCall.kind, "switch_mode")
    assert.deepStrictEqual(
      optionsOf(plan).map(({ name }) => name),
      ["Approve the plan", "Keep planning"]
    )
  })
})

it("a plan can be approved with its edits, in those words", () => {
  const edits = { id: "edits", label: "this plan and its edits", covers: "This plan, and its edits." }
  const plan = { ...request, kind: "plan", plan: "1. look", scopes: [edits] } as const
  assert.deepStrictEqual(optionsOf(plan)[1], {
    optionId: "always:edits",
    name: "Approve this plan and its edits (This plan, and its edits.)",
    kind: "allow_always"
  })
  assert.deepStrictEqual(answerOf(plan, selected("always:edits")), {
    decision: "allow",
    remember: "edits",
    where: "editor"
  })
  assert.strictEqual(answerOf({ ...plan, scopes: [] }, selected("always:edits")).decision, "deny")
})

describe("a request without a complete preview", () => {
  it.each([
    ["a plan that is not in it", { kind: "plan", scopes: [] }, /plan is not in the request/],
    ["a plan without words", { kind: "plan", plan: " \n", scopes: [] }, /plan is not in the request/],
    ["parts that cannot be shown", { notShown: "3 characters cannot be seen" }, /3 characters cannot be seen/]
  ] as const)("%s: can only be rejected, and says why", (_, changes, why) => {
    const requested: PermissionRequestEvent = { ...request, ...changes }
    assert.deepStrictEqual(
      optionsOf(requested).map(({ kind }) => kind),
      ["reject_once"]
    )
    assert.strictEqual(answerOf(requested, selected("allow")).decision, "deny")
    assert.strictEqual(answerOf(requested, selected("always:exact")).decision, "deny")
    assert.match(JSON.stringify(permissionParams("s", requested).toolCall.content), why)
  })
})

describe("an answer", () => {
  const chosen: ReadonlyArray<readonly [string, PlanAnswer]> = [
    ["allow", { decision: "allow", where: "editor" }],
    ["always:exact", { decision: "allow", remember: "exact", where: "editor" }],
    ["reject", { decision: "deny", where: "editor" }]
  ]
  it.each(chosen)("%s", (optionId, answer) => {
    assert.deepStrictEqual(answerOf(request, selected(optionId)), answer)
  })

  it.each([
    ["cancelled", { outcome: { outcome: "cancelled" } }],
    ["a scope that was not offered", selected("always:everything")],
    ["an option of another request", selected("always:wide")],
    ["an option that is not a text", selected(["allow"])],
    ["another outcome that names an option", { outcome: { outcome: "chosen", optionId: "allow" } }],
    ["an option without its outcome", { optionId: "allow" }],
    ["nothing", undefined]
  ])("%s denies", (_, result) => {
    assert.strictEqual(answerOf(request, result).decision, "deny")
  })

  it("of a client that fails denies", () => {
    assert.strictEqual(unanswered.decision, "deny")
  })

  it.prop(
    "that is not one of the options never allows, whatever is asked",
    [PermissionRequestEvent, Schema.Unknown, Schema.String],
    ([requested, result, word]) => {
      const offered = optionsOf(requested).map(({ optionId }) => optionId)
      assertConforms("RequestPermissionRequest", permissionParams("s", requested))
      assert.strictEqual(answerOf(requested, result).decision, "deny")
      if (!offered.includes(word)) assert.strictEqual(answerOf(requested, selected(word)).decision, "deny")
    },
    runs(100)
  )
})
