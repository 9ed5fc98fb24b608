/** A failure names the steps of the library, a tracer sees none of them; an application annotates its own spans. */
import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit, Layer, Stream } from "effect"
import * as Approvals from "../../../src/agents/Approvals.ts"
import { gatesLayer } from "../../../src/agents/engine/Gates.ts"
import { untraced } from "../../../src/contract/untraced.ts"
import { Sessions } from "../../../src/conversations/Sessions.ts"
import { Store } from "../../../src/conversations/store/Store.ts"
import { FakeCli } from "../../../src/testing/FakeCli.ts"
import { LiveStep } from "../../../src/testing/LiveStep.ts"
import { InstalledFake } from "../../../src/testingEffect.ts"
import { makeSpans, treeOf } from "../../kit/spans.ts"

describe("a step", () => {
  const inner = Effect.fn(...untraced("Settings.write"))(function* () {
    return yield* Effect.fail(new Error("disk full"))
  })
  const outer = Effect.fn(...untraced("Turns.perform"))(function* () {
    yield* inner()
  })

  it.effect("names itself and its caller in a failure, and makes no span", () => {
    const { spans, with: traced } = makeSpans()
    return Effect.gen(function* () {
      const exit = yield* Effect.exit(Effect.withSpan(outer(), "of the application"))
      assert.isTrue(Exit.isFailure(exit))
      const text = Exit.isFailure(exit) ? Cause.pretty(exit.cause) : ""
      assert.match(
        text,
        /disk full.*at Settings\.write \([^)]*steps\.process.*at Turns\.perform \([^)]*steps\.process/s
      )
      assert.deepStrictEqual(treeOf(spans), ["of the application failed: undefined"])
    }).pipe(traced)
  })

  it.effect("hides no span that an application makes below it", () => {
    const { spans, with: traced } = makeSpans()
    const step = Effect.fn(...untraced("Turns.perform"))((work: Effect.Effect<void>) => work)
    return Effect.gen(function* () {
      yield* Effect.withSpan(step(Effect.withSpan(Effect.void, "inside")), "outside")
      assert.deepStrictEqual(treeOf(spans), ["outside", "  inside"])
    }).pipe(traced)
  })
})

describe("a conversation", () => {
  it.live(
    "has the spans of its agent and of the store's SQL, and no others; gates and handlers annotate the agent's",
    () => {
      const { spans, with: traced, named } = makeSpans()
      const turn = [LiveStep.command({ command: "ls", output: "a.txt", ask: true }), LiveStep.text("There is a.txt.")]
      const gate = gatesLayer([
        {
          name: "ours",
          concerns: ["session"],
          admit: () => Effect.as(Effect.annotateCurrentSpan("gate", "asked"), {})
        }
      ])
      const onPermission = () =>
        Effect.as(Effect.annotateCurrentSpan("handler", "asked"), { decision: "allow" } as const)
      const agent = InstalledFake.layer(FakeCli.live("claude", [turn])).pipe(Layer.provide(gate))
      const sessions = Sessions.layer.pipe(Layer.provide([agent, Store.layerMemory()]))
      return Effect.gen(function* () {
        const { open } = yield* Sessions
        const session = yield* open({ conversation: "billing", approvals: [Approvals.ask(onPermission)] })
        yield* Stream.runDrain(session.turn("what is here?"))
      }).pipe(
        Effect.scoped,
        Effect.withSpan("of the application"),
        Effect.provide(sessions),
        traced,
        Effect.andThen(
          Effect.sync(() => {
            const ofAgents = treeOf(spans.filter(({ name }) => !name.startsWith("sql")))
            assert.deepStrictEqual(ofAgents, [
              "of the application",
              "  invoke_agent claude",
              "    invoke_agent claude",
              "      execute_tool Bash [permission_request permission_decision]"
            ])
            const { gate, handler } = Object.fromEntries(named("invoke_agent claude").attributes)
            assert.deepStrictEqual({ gate, handler }, { gate: "asked", handler: "asked" })
          })
        )
      )
    }
  )
})
