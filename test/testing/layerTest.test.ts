/** `AgentRuntime.layerTest` and `testAgent`: given events, with the guarantees of a run. No process, no platform. */
import { assert, describe, it } from "@effect/vitest"
import { Cause, Deferred, Effect, Exit, Fiber, Stream } from "effect"
import type { AgentEvent } from "../../src/AgentEvent.ts"
import type { AgentExecuteParams } from "../../src/AgentExecuteParams.ts"
import { AgentRuntime } from "../../src/AgentRuntime.ts"
import type { ScriptedEvents } from "../../src/run/scripted.ts"
import { testAgent } from "../../src/testing.ts"
import { abortedEnding, completed, endingOf, errorOf, resultOf } from "../kit/events.ts"

const session: AgentEvent = { type: "session", sessionId: "s-1" }
const text = (words: string, parentToolId?: string): AgentEvent =>
  parentToolId === undefined ? { type: "text", text: words } : { type: "text", text: words, parentToolId }
const voided = (characters: number): AgentEvent => ({
  type: "notice",
  kind: "text_voided",
  message: "withdrawn",
  data: { characters }
})
const error = (code: string, category: Extract<AgentEvent, { type: "error" }>["category"]): AgentEvent => ({
  type: "error",
  message: "No.",
  code,
  category,
  retryable: false
})
const done: AgentEvent = {
  type: "done",
  result: {
    outcome: "completed",
    reason: "completed",
    text: "of the test",
    sessionId: "s-2",
    durationMs: 7,
    usage: undefined,
    aborted: false
  }
}

const execute = (events: ScriptedEvents, params: Partial<AgentExecuteParams> = {}) =>
  AgentRuntime.use((agent) => Stream.runCollect(agent.execute({ prompt: "hello", ...params }))).pipe(
    Effect.provide(AgentRuntime.layerTest(events))
  )

const run = (events: ScriptedEvents, params: Partial<AgentExecuteParams> = {}) =>
  AgentRuntime.use((agent) => agent.run({ prompt: "hello", ...params })).pipe(
    Effect.provide(AgentRuntime.layerTest(events))
  )

describe("the end", () => {
  it.effect("is made of the events where they have none", () =>
    Effect.gen(function* () {
      const given = [session, text("Hel"), text("p!"), voided(2), text("lo"), text("aside", "tool_1")]
      const events = yield* execute(given)
      assert.deepStrictEqual(events.slice(0, -1), given)
      assert.deepStrictEqual(endingOf(events), completed)
      assert.deepInclude(resultOf(events), { text: "Hello", sessionId: "s-1", durationMs: 0 })
      assert.deepInclude(yield* run(given), { text: "Hello" })
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
    assert.include(String(Cause.squash(exit.cause)), 'event 3, of type "text", stands behind done')
  }

  it.effect("is the last event: one behind it is a defect that tells its place", () =>
    Effect.gen(function* () {
      const given = [session, done, text("too late")]
      behind(yield* Effect.exit(execute(given)))
      behind(yield* Effect.exit(run(given)))
      behind(yield* Effect.exit(execute(Stream.fromIterable(given))))
    })
  )
})

describe("a failure", () => {
  it.effect("that an `error` tells has its code and category", () =>
    Effect.gen(function* () {
      const given = [session, text("Hm."), error("overloaded_error", "overloaded")]
      const events = yield* execute(given)
      assert.deepStrictEqual(events.slice(0, -1), given)
      assert.deepInclude(resultOf(events), { outcome: "failed", reason: "agent_failed", text: "Hm." })
      const failed = yield* Effect.flip(run(given))
      assert.strictEqual(failed._tag, "AgentError")
      assert.deepInclude(failed.reason, { _tag: "AgentFailed", code: "overloaded_error", category: "overloaded" })
      assert.deepInclude(failed, { cli: "claude", hadOutput: true })
      assert.strictEqual(failed.result.text, "Hm.")
    })
  )

  const told = [
    ["aborted", "aborted", "aborted", "Aborted"],
    ["timeout_tool", "timeout", "timed_out", "TimedOut"],
    ["exit_code", "crash", "failed", "Exited"],
    ["signal", "crash", "failed", "Killed"],
    ["no_result", "protocol", "failed", "NoResult"],
    ["not_installed", "not_installed", "failed", "NotInstalled"],
    ["invalid_params", "invalid_request", "failed", "InvalidParams"]
  ] as const
  it.effect.each(told)("of code %s is what a real run would give for it", ([code, category, outcome, tag]) =>
    Effect.gen(function* () {
      const { reason, result } = yield* Effect.flip(run([error(code, category)]))
      assert.strictEqual(reason._tag, tag)
      assert.deepStrictEqual([reason.code, reason.category], [code, category])
      assert.deepStrictEqual([result.outcome, result.aborted], [outcome, code === "aborted"])
    })
  )

  it.effect("of a given `done` is in the error channel, too", () =>
    Effect.gen(function* () {
      const { result } = done
      const failed: AgentEvent = {
        type: "done",
        result: { ...result, outcome: "failed", reason: "exited", exit: { code: 3 }, stderrTail: "oh" }
      }
      const given = [error("exit_code", "crash"), failed]
      assert.deepStrictEqual(yield* execute(given), given)
      const { reason } = yield* Effect.flip(run(given))
      assert.deepInclude(reason, { _tag: "Exited", exitCode: 3, stderr: "oh" })
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
      let asked = 0
      const given = () => {
        asked++
        return [text("never")]
      }
      // as a caller in JavaScript would hand them over
      const untyped = params as Partial<AgentExecuteParams>
      const events = yield* execute(given, untyped)
      assert.strictEqual(resultOf(events).reason, "invalid_params")
      assert.include(errorOf(events).message, name)
      assert.strictEqual((yield* Effect.flip(run(given, untyped))).reason._tag, "InvalidParams")
      assert.strictEqual(asked, 0)
    })
  )

  it.effect("are those of the chosen CLI", () =>
    Effect.gen(function* () {
      const agent = yield* AgentRuntime
      assert.strictEqual(agent.cli, "codex")
      const { reason } = yield* Effect.flip(agent.run({ prompt: "hello", maxTurns: 1 }))
      assert.deepInclude(reason, { _tag: "UnsupportedOption", option: "maxTurns", cli: "codex" })
    }).pipe(Effect.provide(AgentRuntime.layerTest([], { cli: "codex" })))
  )
})

describe("a run that is left", () => {
  it.effect("by abort at an event has no further ones, also when they were all there", () =>
    Effect.gen(function* () {
      const controller = new AbortController()
      const seen: Array<AgentEvent> = []
      yield* AgentRuntime.use((agent) =>
        Stream.runForEach(agent.execute({ prompt: "hello", abortSignal: controller.signal }), (event) =>
          Effect.sync(() => {
            seen.push(event)
            if (event.type === "text") controller.abort()
          })
        )
      ).pipe(Effect.provide(AgentRuntime.layerTest([session, text("one"), text("two")])))
      assert.deepStrictEqual(
        seen.map((event) => event.type),
        ["session", "text", "error", "done"]
      )
      assert.deepStrictEqual(endingOf(seen), abortedEnding)
      assert.strictEqual(resultOf(seen).text, "one")
    })
  )

  it.effect("by abort while it is silent ends at once", () =>
    Effect.gen(function* () {
      const controller = new AbortController()
      const isSilent = yield* Deferred.make<void>()
      const silence = Effect.andThen(Deferred.succeed(isSilent, undefined), Effect.never)
      const given = Stream.concat(Stream.make(text("one")), Stream.fromEffect(silence))
      const fiber = yield* Effect.forkChild(execute(given, { abortSignal: controller.signal }))
      yield* Deferred.await(isSilent)
      controller.abort()
      assert.deepStrictEqual(endingOf(yield* Fiber.join(fiber)), abortedEnding)
    })
  )

  it.effect("before it begins asks for no events", () =>
    Effect.gen(function* () {
      const given = () => assert.fail("it asked")
      const events = yield* execute(given, { abortSignal: AbortSignal.abort() })
      assert.deepStrictEqual(endingOf(events), abortedEnding)
    })
  )

  it.effect("by its consumer takes its source with it", () =>
    Effect.gen(function* () {
      const closed = yield* Deferred.make<void>()
      const given = Stream.ensuring(
        Stream.concat(Stream.make(text("one")), Stream.never),
        Deferred.succeed(closed, undefined)
      )
      const first = yield* AgentRuntime.use((agent) => Stream.runHead(agent.execute({ prompt: "hello" }))).pipe(
        Effect.provide(AgentRuntime.layerTest(given))
      )
      assert.deepStrictEqual(first._tag, "Some")
      assert.isTrue(Deferred.isDoneUnsafe(closed))
    })
  )
})

describe("the plain door", () => {
  it("gives the events and the result, and rejects as a real agent does", async () => {
    await using agent = testAgent(({ prompt }) =>
      prompt === "fail" ? [error("overloaded", "overloaded")] : [text("Hi.")]
    )
    const events = await Array.fromAsync(agent.execute({ prompt: "hello" }))
    assert.deepStrictEqual(endingOf(events), completed)
    assert.strictEqual((await agent.run({ prompt: "hello" })).text, "Hi.")
    const rejected = await agent.run({ prompt: "fail" }).catch((error: unknown) => error)
    assert.deepInclude(rejected, { _tag: "AgentError", cli: "claude" })
  })

  it("takes an async iterable", async () => {
    const given = async function* () {
      yield text("one ")
      await Promise.resolve()
      yield text("two")
    }
    await using agent = testAgent(given, { cli: "gemini" })
    assert.strictEqual(agent.cli, "gemini")
    assert.strictEqual((await agent.run({ prompt: "hello" })).text, "one two")
  })

  it("is aborted for whoever still listens when the agent is closed", async () => {
    const agent = testAgent(Stream.concat(Stream.make(text("one")), Stream.never))
    const seen: Array<AgentEvent> = []
    for await (const event of agent.execute({ prompt: "hello" })) {
      seen.push(event)
      if (event.type === "text") void agent.close()
    }
    assert.deepStrictEqual(endingOf(seen), abortedEnding)
    assert.deepStrictEqual(endingOf(await Array.fromAsync(agent.execute({ prompt: "hello" }))), abortedEnding)
  })
})
