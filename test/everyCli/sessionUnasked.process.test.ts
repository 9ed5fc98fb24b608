/** CLIs that never ask before they act: the rules of a session cannot stop them, and a mode that promises it is refused. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Approvals } from "../../src/index.ts"
import { content, ids, open, traits, turnResult, typed } from "../kit/live.ts"

const unasked = ids.filter((id) => !traits(id).asksPermission)

it("are these", () => assert.deepStrictEqual(unasked, ["pi"]))

describe.each(unasked)("%s", (id) => {
  it.live("acts without a request, whatever the rules say", () =>
    Effect.gen(function* () {
      const { turn } = yield* open(id, { approvals: [Approvals.deny()] })
      const events = yield* turn({ ask: { id: "a", command: "run a" } }, { say: "done" })
      assert.deepStrictEqual(typed(events, "permission_request"), [])
      assert.deepInclude(typed(events, "tool_use")[0], { kind: "command", title: "run a" })
      assert.deepInclude(typed(events, "tool_result")[0], { isError: false })
      assert.deepStrictEqual([content(events), turnResult(events).outcome], [["done"], "completed"])
    })
  )

  it.live.each(["default", "accept-edits"] as const)("refuses the mode %s, which it cannot keep", (permissionMode) =>
    Effect.gen(function* () {
      const { reason } = yield* Effect.flip(open(id, { permissionMode }))
      assert.deepInclude(reason, { _tag: "InvalidParams", option: "permissionMode" })
      assert.include(reason.message, "never asks before it acts")
    })
  )

  it.live.each(["plan", "bypass"] as const)("takes the mode %s", (permissionMode) =>
    Effect.gen(function* () {
      const { turn } = yield* open(id, { permissionMode })
      assert.deepStrictEqual(content(yield* turn({ say: "hi" })), ["hi"])
    })
  )
})
