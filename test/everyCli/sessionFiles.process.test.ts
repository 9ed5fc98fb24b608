/** The files of a call, for every CLI value: the call and its request name the same absolute paths. */
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Approvals } from "../../src/index.ts"
import { ids, open, traits, typed, use } from "../kit/live.ts"

describe.each(ids)("%s", (id) => {
  it.live("names the written file and its content in the call, and in the request for it", () =>
    Effect.gen(function* () {
      const { turn } = yield* open(id, { approvals: [Approvals.allow()] })
      const events = yield* turn(...use(id, { id: "w", path: "sub/../a.txt", content: "one\n" }))
      const path = join(process.cwd(), "a.txt")
      const files = { paths: [path], edits: [{ path, after: "one\n" }] }
      assert.deepInclude(typed(events, "tool_use")[0], files)
      if (traits(id).asksPermission) assert.deepInclude(typed(events, "permission_request")[0], files)
      assert.notProperty(typed(events, "tool_result")[0], "edits")
    })
  )

  it.live("names no file for a command", () =>
    Effect.gen(function* () {
      const { turn } = yield* open(id, { approvals: [Approvals.allow()] })
      const events = yield* turn(...use(id, { id: "c", command: "cat a.txt" }))
      for (const event of [...typed(events, "tool_use"), ...typed(events, "permission_request")]) {
        assert.notProperty(event, "paths")
        assert.notProperty(event, "edits")
      }
    })
  )
})
