/** A line nested 100,000 deep, for every CLI: it does not end the run, later lines are read, and each event can be printed. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { AgentRuntime } from "../../src/agents/AgentRuntime.ts"
import type { AgentEvent } from "../../src/contract/AgentEvent.ts"
import { FakeCli, LiveStep, Step } from "../../src/testing.ts"
import { InstalledFake } from "../../src/testingEffect.ts"
import { killGrace } from "../kit/agent.ts"
import { textOf } from "../kit/events.ts"
import { ids, typed } from "../kit/live.ts"

const depth = 100_000
const lists = `${"[".repeat(depth)}${"]".repeat(depth)}`
const deep = `{"jsonrpc":"2.0","method":"new","type":"new","params":${lists},"more":${lists}}`

const assertHeard = (events: ReadonlyArray<AgentEvent>) => {
  for (const event of events) assert.isString(JSON.stringify(event))
  const notices = typed(events, "notice").filter(({ kind }) => kind === "malformed_line")
  assert.deepStrictEqual(
    notices.map(({ message }) => message.includes("nested deeper than")),
    [true]
  )
  assert.lengthOf(typed(events, "unknown"), 1)
  assert.include(textOf(events), "after it")
}

describe.each(ids)("%s", (id) => {
  it.live("in a run", () =>
    Effect.gen(function* () {
      const events = yield* AgentRuntime.use((agent) => Stream.runCollect(agent.execute({ prompt: "go" })))
      assertHeard(events)
      assert.deepInclude(typed(events, "done")[0]?.result, { outcome: "completed", text: "after it" })
    }).pipe(Effect.provide(InstalledFake.layer(FakeCli[id]([Step.line(deep), Step.text("after it")]), { killGrace })))
  )

  it.live("in a live session", () =>
    Effect.gen(function* () {
      const agent = yield* AgentRuntime
      const session = yield* agent.open()
      const events = yield* Stream.runCollect(session.turn("go"))
      assertHeard(events)
      assert.strictEqual(typed(events, "turn_done")[0]?.result.outcome, "completed")
      assert.include(textOf(yield* Stream.runCollect(session.turn("again"))), "after it")
    }).pipe(
      Effect.scoped,
      Effect.provide(
        InstalledFake.layer(FakeCli.live(id, [[LiveStep.line(deep), LiveStep.text("after it")]]), { killGrace })
      )
    )
  )
})
