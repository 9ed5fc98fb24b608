/** One service for each CLI: several in one application, each with its own CLI; what it lacks is refused at run time, too. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Stream } from "effect"
import { AcpAgent, ClaudeAgent, CodexAgent, GeminiAgent, OpenCodeAgent, type TypedAgent } from "../../src/index.ts"
import { FakeCli, Step } from "../../src/testing.ts"
import { InstalledFake } from "../../src/testingEffect.ts"
import { resultOf } from "../kit/events.ts"

const say = (text: string) => [Step.text(text)]

describe("the services of the CLIs", () => {
  it.live("stand beside each other", () =>
    Effect.gen(function* () {
      const claude = yield* InstalledFake.make(FakeCli.claude(say("I am Claude")))
      const codex = yield* InstalledFake.make(FakeCli.codex(say("I am Codex")))
      const gemini = yield* InstalledFake.make(FakeCli.gemini(say("I am Gemini")))
      const opencode = yield* InstalledFake.make(FakeCli.opencode(say("I am OpenCode")))
      const agents = Layer.mergeAll(
        ClaudeAgent.layer({ command: claude.command }),
        CodexAgent.layer({ command: codex.command }),
        GeminiAgent.layer({ command: gemini.command }),
        OpenCodeAgent.layer({ command: opencode.command }),
        AcpAgent.layer({ command: "/no/such", id: "other" })
      )
      const texts = Effect.gen(function* () {
        const first = yield* (yield* ClaudeAgent).run({ prompt: "hi", maxTurns: 1, effort: "max" })
        const second = yield* (yield* CodexAgent).run({ prompt: "hi", effort: "minimal" })
        const third = yield* (yield* GeminiAgent).run({ prompt: "hi", maxTurns: 1 })
        const fourth = yield* (yield* OpenCodeAgent).run({ prompt: "hi", model: "openai/gpt" })
        const fifth = yield* Effect.flip((yield* AcpAgent).run({ prompt: "hi" }))
        return [first.text, second.text, third.text, fourth.text, `${fifth.cli} ${fifth.reason._tag}`]
      })
      assert.deepStrictEqual(yield* Effect.provide(texts, agents), [
        "I am Claude",
        "I am Codex",
        "I am Gemini",
        "I am OpenCode",
        "other NotInstalled"
      ])
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )

  it.live("refuse what the compiler did not see", () =>
    Effect.gen(function* () {
      const { execute }: TypedAgent<"claude"> = (yield* CodexAgent) as never // as JavaScript would
      const events = yield* Stream.runCollect(execute({ prompt: "hi", maxTurns: 3 }))
      assert.strictEqual(resultOf(events).reason, "unsupported_option")
    }).pipe(Effect.provide(CodexAgent.layer({ command: "/no/such" })), Effect.provide(NodeServices.layer))
  )
})
