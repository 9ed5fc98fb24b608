/** Messages of a page become turns, whose rows its readers get as they are written, each once. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { AgentEvent } from "../../../src/contract/AgentEvent.ts"
import { openPage } from "./page.ts"

const text = (given: string): AgentEvent => ({ type: "text", text: given })

describe("a page", () => {
  it.live("shows a message, its turn, and the answer while it is written", () =>
    Effect.gen(function* () {
      const { you } = yield* openPage({ script: ({ prompt }) => [text("# Hi\n\nyou said "), text(`**${prompt}**`)] })
      const { id, status } = yield* you.say("hello")
      assert.strictEqual(status, 202)
      const { until, frames } = yield* you.read()
      const rows = yield* until((all) => all.some(({ row }) => row === "answer") && all)
      assert.strictEqual(frames[0]?.event, "hello")
      assert.deepStrictEqual(
        rows.map(({ row }) => row).filter((row) => row !== "state"),
        ["message", "run", "event", "event", "done", "answer"]
      )
      assert.deepInclude(rows[0], { message: id, text: "hello", by: "You", state: "sent" })
    }).pipe(Effect.scoped)
  )
})
