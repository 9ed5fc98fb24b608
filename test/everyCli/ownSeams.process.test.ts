/** Gates and observers of one call: the caller provides them around it, and no other call has them. */
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Stream } from "effect"
import { AgentRuntime } from "../../src/agents/AgentRuntime.ts"
import type { Gate } from "../../src/agents/engine/Gate.ts"
import { gatesLayer } from "../../src/agents/engine/Gates.ts"
import type { Observer } from "../../src/agents/engine/Observer.ts"
import { OwnGates, OwnObservers } from "../../src/agents/engine/ownSeams.ts"
import { FakeCli, LiveStep, Step } from "../../src/testing.ts"
import { InstalledFake } from "../../src/testingEffect.ts"

const makeSeams = () => {
  const log: Array<string> = []
  const gate = (name: string): Gate => ({
    name,
    admit: ({ type }) =>
      Effect.sync(() => {
        log.push(`${name}: ${type}`)
        return {
          starting: Effect.sync(() => void log.push(`${name}: ${type} starts`)),
          settle: ({ result }) => Effect.sync(() => void log.push(`${name}: ${type} ${result.outcome}`))
        }
      })
  })
  const observer: Observer = {
    name: "own",
    begin: ({ type }) => ({ end: ({ result }) => void log.push(`observed: ${type} ${result.outcome}`) })
  }
  const own = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    effect.pipe(Effect.provideService(OwnGates, [gate("own")]), Effect.provideService(OwnObservers, [observer]))
  const agentOf = (fake: FakeCli) =>
    Effect.map(
      Layer.build(InstalledFake.layer(fake).pipe(Layer.provide(gatesLayer([gate("agent")])))),
      Context.get(AgentRuntime)
    )
  return { log, own, agentOf, take: () => log.splice(0) }
}

describe("own gates and observers", () => {
  it.effect("of a run are asked after those of its agent; other runs do not have them", () =>
    Effect.gen(function* () {
      const { own, agentOf, take } = makeSeams()
      // An agent whose layer is built inside of another call.
      const agent = yield* agentOf(FakeCli.claude([Step.text("Done.")])).pipe(Effect.provideService(OwnGates, []))
      const expected = ["agent: run", "own: run", "agent: run starts", "own: run starts"]
      yield* own(agent.run({ prompt: "hello" }))
      const [first, ends] = [take(), ["agent: run completed", "own: run completed", "observed: run completed"]]
      assert.deepStrictEqual(first.slice(0, 4), expected)
      assert.sameMembers(first.slice(4), ends)
      yield* own(Stream.runDrain(agent.execute({ prompt: "hello" })))
      assert.deepStrictEqual(take().slice(0, 4), expected)
      yield* agent.run({ prompt: "hello" })
      assert.deepStrictEqual(take(), ["agent: run", "agent: run starts", "agent: run completed"])
    })
  )

  it.effect("of a live session are also those of its turns, from any caller", () =>
    Effect.gen(function* () {
      const { log, own, agentOf } = makeSeams()
      const agent = yield* agentOf(FakeCli.live("claude", [[LiveStep.text("Hello.")]]))
      yield* Effect.scoped(
        Effect.gen(function* () {
          const session = yield* own(agent.open())
          yield* Stream.runDrain(session.turn("hello"))
        })
      )
      const ofOwn = log.filter((line) => !line.startsWith("agent"))
      assert.deepStrictEqual(ofOwn, [
        "own: session",
        "own: session starts",
        "own: turn",
        "own: turn starts",
        "own: turn completed",
        "observed: turn completed",
        "own: session completed",
        "observed: session completed"
      ])
    })
  )
})
