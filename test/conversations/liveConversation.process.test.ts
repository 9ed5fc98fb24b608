/** Live sessions on conversations, of real processes: their turns are rows, and they make way for others while idle. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Layer, Scope, Stream } from "effect"
import { AgentRuntime } from "../../src/agents/AgentRuntime.ts"
import { Sessions } from "../../src/conversations/Sessions.ts"
import { Store } from "../../src/conversations/store/Store.ts"
import { FakeCli, LiveStep, Step } from "../../src/testing.ts"
import { InstalledFake } from "../../src/testingEffect.ts"

const live = FakeCli.live("claude", [[LiveStep.text("one")], [LiveStep.text("two")]])

const layerOf = (...fakes: readonly [FakeCli, ...ReadonlyArray<FakeCli>]) =>
  Sessions.layer.pipe(
    Layer.provideMerge(InstalledFake.layer(FakeCli.inTurn(...fakes))),
    Layer.provideMerge(Store.layerMemory())
  )

const rows = (table: string) =>
  Effect.flatMap(Store, ({ sql, read }) => read(sql.unsafe<Record<string, unknown>>(`select * from ${table}`)))

describe("a live session on a conversation", () => {
  it.live("has turns like runs, and the conversation goes on with it", () =>
    Effect.gen(function* () {
      const { open, run } = yield* Sessions
      const scope = yield* Scope.make()
      const session = yield* Scope.provide(open({ conversation: "a" }), scope)
      for (const prompt of ["first", "second"]) yield* Stream.runDrain(session.turn(prompt))
      yield* Scope.close(scope, Exit.void)
      const turns = yield* rows("turns")
      assert.deepStrictEqual(
        turns.map(({ prompt, state }) => [prompt, state]),
        [
          ["first", "done"],
          ["second", "done"]
        ]
      )
      const [row] = yield* rows("sessions")
      assert.strictEqual(Number(row?.["turns"]), 2)
      assert.strictEqual(row?.["title"], "first")
      yield* Effect.ignore(run({ conversation: "a", prompt: "third" }))
      const { calls } = yield* InstalledFake
      assert.include(calls()[1]?.arguments.join(" "), String(session.sessionId))
    }).pipe(Effect.provide(layerOf(live, FakeCli.claude([Step.text("three")]))))
  )

  it.live("closes while it is idle when another asks for the conversation", () =>
    Effect.gen(function* () {
      const { open, run } = yield* Sessions
      const session = yield* open({ conversation: "a" })
      yield* Stream.runDrain(session.turn("first"))
      const busy = yield* Effect.flip(run({ conversation: "a", prompt: "second", whenBusy: "fail" }))
      assert.strictEqual(busy.reason._tag, "SessionBusy")
      const { text } = yield* run({ conversation: "a", prompt: "second" })
      assert.strictEqual(text, "two")
      const after = yield* Effect.flip(session.send("hello"))
      assert.strictEqual(after.reason._tag, "Aborted")
    }).pipe(Effect.scoped, Effect.provide(layerOf(live, FakeCli.claude([Step.text("two")]))))
  )

  it.live("frees the conversation when it cannot be opened", () =>
    Effect.gen(function* () {
      const { open, run } = yield* Sessions
      yield* Effect.flip(open({ conversation: "a", workingDirectory: "/nowhere" }))
      assert.strictEqual((yield* run({ conversation: "a", prompt: "hello", whenBusy: "fail" })).text, "one")
    }).pipe(Effect.scoped, Effect.provide(layerOf(FakeCli.claude([Step.text("one")]))))
  )

  it.live("is refused without a conversation that is one", () =>
    Effect.gen(function* () {
      const { open } = yield* Sessions
      const { reason } = yield* Effect.flip(open({ conversation: [] }))
      assert.strictEqual(reason.message, "conversation: has no parts")
      yield* AgentRuntime
    }).pipe(Effect.scoped, Effect.provide(layerOf(live)))
  )
})
