/** A CLI that has to be killed after its result may not have saved it: its session is left alone, and that is announced. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Stream } from "effect"
import { AgentRuntime } from "../../src/agents/AgentRuntime.ts"
import { claude } from "../../src/cli/claude/index.ts"
import { Sessions } from "../../src/conversations/Sessions.ts"
import { Store } from "../../src/conversations/store/Store.ts"
import { program } from "../kit/agent.ts"

const layerOf = (...args: ReadonlyArray<string>) => {
  const options = {
    ...program("lingers", ...args),
    killGrace: "100 millis",
    timeouts: { linger: "50 millis" }
  } as const
  return Sessions.layer.pipe(
    Layer.provideMerge(AgentRuntime.layer(claude, options).pipe(Layer.provide(NodeServices.layer))),
    Layer.provideMerge(Store.layerMemory())
  )
}

/** Reason why a further turn began a new session. */
const resets = Effect.gen(function* () {
  const { run, execute } = yield* Sessions
  assert.strictEqual((yield* run({ conversation: "a", prompt: "first" })).outcome, "completed")
  const events = yield* Stream.runCollect(execute({ conversation: "a", prompt: "second" }))
  assert.strictEqual(events.at(-1)?.type, "done")
  return events.flatMap((event) =>
    event.type === "notice" && event.kind === "session_reset" ? [event.data?.["because"]] : []
  )
})

const states = Effect.gen(function* () {
  const { sql, read } = yield* Store
  return (yield* read(sql<{ state: string }>`select state from sessions`)).map(({ state }) => state)
})

describe("a process that stays after its result", () => {
  it.live("and is killed leaves its session in quarantine", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* resets, ["quarantined"])
      assert.deepStrictEqual(yield* states, ["quarantined", "quarantined"])
    }).pipe(Effect.provide(layerOf("--deaf")))
  )

  it.live("and leaves when it is asked to keeps its session", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* resets, [])
      assert.deepStrictEqual(yield* states, ["live"])
    }).pipe(Effect.provide(layerOf()))
  )
})
