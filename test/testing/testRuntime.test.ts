/** `TestRuntime.layer`: given events, with the guarantees of a run. No process, no platform. */
import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit, Stream } from "effect"
import { AgentRuntime } from "../../src/agents/AgentRuntime.ts"
import { clis } from "../../src/agents/Agents.ts"
import type { AgentExecuteParams } from "../../src/contract/AgentExecuteParams.ts"
import { TestRuntime } from "../../src/testingEffect.ts"
import { completed, endingOf, errorOf, resultOf } from "../kit/events.ts"
import { done, execute, run, session, text, voided } from "./events.ts"

describe("the end", () => {
  it.effect("is made of the events where they have none", () =>
    Effect.gen(function* () {
      const input = [session, text("Hel"), text("p!"), voided(2), text("lo"), text("aside", "tool_1")]
      const events = yield* execute(input)
      assert.deepStrictEqual(events.slice(0, -1), input)
      assert.deepStrictEqual(endingOf(events), completed)
      assert.deepInclude(resultOf(events), { text: "Hello", sessionId: "s-1", durationMs: 0 })
      assert.deepInclude(yield* run(input), { text: "Hello" })
    })
  )

  it.effect("is as it is given, and its result is that of the run", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* execute([text("other words"), done]), [text("other words"), done])
      assert.deepInclude(yield* run([text("other words"), done]), { text: "of the test", durationMs: 7 })
    })
  )

  it.effect("of no events is a run that said nothing", () =>
    Effect.map(execute([]), (events) => {
      assert.deepStrictEqual(events.length, 1)
      assert.deepInclude(resultOf(events), { outcome: "completed", text: "" })
    })
  )

  const behind = (exit: Exit.Exit<unknown, unknown>) => {
    if (Exit.isSuccess(exit)) return assert.fail("a defect")
    assert.isTrue(Cause.hasDies(exit.cause))
    assert.include(String(Cause.squash(exit.cause)), "event 3 stands behind the end of the run")
  }

  it.effect("is the last event: one behind it is a defect that tells its place", () =>
    Effect.gen(function* () {
      const input = [session, done, text("too late")]
      behind(yield* Effect.exit(execute(input)))
      behind(yield* Effect.exit(run(input)))
      behind(yield* Effect.exit(execute(Stream.fromIterable(input))))
    })
  )

  it.effect("of a source that goes on without a word is its `done`", () =>
    Effect.gen(function* () {
      const sources = {
        generator: async function* () {
          yield text("one")
          yield done
          await new Promise(() => undefined)
        },
        stream: () => Stream.concat(Stream.make(text("one"), done), Stream.never)
      }
      for (const source of Object.values(sources)) {
        assert.deepStrictEqual(yield* execute(source), [text("one"), done])
        assert.strictEqual((yield* run(source)).text, "of the test")
      }
    })
  )
})

describe("the params", () => {
  it.effect("choose the events, where a function gives them", () =>
    Effect.gen(function* () {
      const echo = ({ prompt }: AgentExecuteParams) => [text(prompt.toUpperCase())]
      assert.strictEqual((yield* run(echo, { prompt: "one" })).text, "ONE")
      const streamed = ({ prompt }: AgentExecuteParams) => Stream.make(text(prompt), text("!"))
      assert.strictEqual((yield* run(streamed, { prompt: "two" })).text, "two!")
    })
  )

  const wrong = [
    [{ promt: "typo" }, "promt"],
    [{ allowedTools: "Bash" }, "allowedTools"],
    [{ newSessionId: "no UUID" }, "newSessionId"],
    [{ extraArgs: ["--model", "x"] }, "extraArgs"],
    [{ env: { "a=b": "c" } }, "env"]
  ] as const
  it.effect.each(wrong)("that a real run refuses are refused: %j", ([params, name]) =>
    Effect.gen(function* () {
      let request = 0
      const input = () => {
        request++
        return [text("never")]
      }
      // as a caller in JavaScript would hand them over
      const untyped = params as Partial<AgentExecuteParams>
      const events = yield* execute(input, untyped, { cli: clis.claude })
      assert.strictEqual(resultOf(events).reason, "invalid_params")
      assert.include(errorOf(events).message, name)
      assert.strictEqual((yield* Effect.flip(run(input, untyped, { cli: clis.claude }))).reason._tag, "InvalidParams")
      assert.strictEqual(request, 0)
    })
  )

  it.effect("are those of the chosen CLI", () =>
    Effect.gen(function* () {
      const agent = yield* AgentRuntime
      assert.strictEqual(agent.cli, "codex")
      const { reason } = yield* Effect.flip(agent.run({ prompt: "hello", maxTurns: 1 }))
      assert.deepInclude(reason, { _tag: "UnsupportedOption", option: "maxTurns", cli: "codex" })
    }).pipe(Effect.provide(TestRuntime.layer([], { cli: clis.codex })))
  )

  it.effect("are those of every CLI where none is chosen", () =>
    Effect.gen(function* () {
      const params = { maxTurns: 1, effort: "high", forkSession: true, sessionId: "s-1" }
      assert.strictEqual((yield* run([text("Yes.")], params)).text, "Yes.")
      const untyped = { promt: "typo" } as Partial<AgentExecuteParams> // as a caller in JavaScript would hand it over
      const { cli, reason } = yield* Effect.flip(run([], untyped))
      assert.deepStrictEqual([cli, reason._tag], ["test", "InvalidParams"])
    })
  )
})
