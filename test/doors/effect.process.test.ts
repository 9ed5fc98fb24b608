/** The door for Effect callers: `AgentRuntime` with `Claude.layer()`; real processes. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Cause, Context, Deferred, Effect, Exit, Fiber, Layer, Schema, Scope, Stream } from "effect"
import {
  AgentError,
  AgentEvent,
  type AgentExecuteParams,
  type AgentOptions,
  AgentRuntime,
  Claude
} from "../../src/index.ts"
import { FakeCli, Step } from "../../src/testing.ts"
import { InstalledFake } from "../../src/testingEffect.ts"
import { killGrace, program, running } from "../kit/agent.ts"
import { completed, endingOf, errorOf, pidsOf, resultOf, textOf } from "../kit/events.ts"
import { assertAllDead, isAlive } from "../kit/processes.ts"

const layer = (options: AgentOptions) => Claude.layer({ killGrace, ...options }).pipe(Layer.provide(NodeServices.layer))

/** As a caller in JavaScript would hand them over. */
const untyped = (params: unknown) => params as AgentExecuteParams

describe("execute", () => {
  it.live("gives typed events that encode as JSON, `done` last", () =>
    Effect.gen(function* () {
      const agent = yield* AgentRuntime
      const events = yield* Stream.runCollect(agent.execute({ prompt: "hi" }))
      assert.strictEqual(agent.cli, "claude")
      assert.deepStrictEqual(endingOf(events), completed)
      const json = Schema.toCodecJson(AgentEvent)
      const again = yield* Effect.forEach(events, (event) =>
        Effect.flatMap(Schema.encodeEffect(json)(event), (line) =>
          Schema.decodeUnknownEffect(json)(JSON.parse(JSON.stringify(line)))
        )
      )
      assert.deepStrictEqual(again, events)
    }).pipe(Effect.provide(layer(program("speaks"))))
  )

  it.live("is a description: nothing runs before it is consumed, and each time is a run of its own", () =>
    Effect.gen(function* () {
      const agent = yield* AgentRuntime
      const run = agent.execute({ prompt: "hi" })
      const one = yield* Stream.runCollect(run)
      const two = yield* Stream.runCollect(run)
      assert.deepStrictEqual([textOf(one), textOf(two)], ["hi", "hi"])
      assert.notDeepEqual(pidsOf(one), pidsOf(two))
    }).pipe(Effect.provide(layer(program("speaks"))))
  )

  it.live("two runs at once share nothing", () =>
    Effect.gen(function* () {
      const agent = yield* AgentRuntime
      const prompts = ["one", "two", "three", "four"]
      const all = yield* Effect.forEach(prompts, (prompt) => Stream.runCollect(agent.execute({ prompt })), {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(all.map(textOf), prompts)
      assert.deepStrictEqual(
        all.map((events) => resultOf(events).text),
        prompts
      )
      assert.strictEqual(new Set(all.flatMap(pidsOf)).size, 4)
      assert.strictEqual(new Set(all.map((events) => resultOf(events).sessionId)).size, 4)
    }).pipe(Effect.provide(layer(program("speaks"))))
  )

  it.live("never fails: what is wrong with the agent is an event", () =>
    Effect.gen(function* () {
      const agent = yield* AgentRuntime
      const exit = yield* Effect.exit(Stream.runCollect(agent.execute({ prompt: "hi" })))
      assert.isTrue(Exit.isSuccess(exit))
      if (Exit.isSuccess(exit)) assert.strictEqual(errorOf(exit.value).category, "crash")
    }).pipe(Effect.provide(InstalledFake.layer(FakeCli.claude([Step.exit(1)]))))
  )
})

describe("run", () => {
  it.live("gives the result", () =>
    Effect.gen(function* () {
      const agent = yield* AgentRuntime
      const result = yield* agent.run({ prompt: "hi" })
      assert.deepInclude(result, { outcome: "completed", reason: "completed", text: "hi", numTurns: 1 })
      assert.deepStrictEqual(result.usage, {
        inputTokens: 10,
        outputTokens: 5,
        cacheReadTokens: 0,
        cacheWriteTokens: 0
      })
    }).pipe(Effect.provide(layer(program("speaks"))))
  )

  it.live("fails with the reason, and with the result that was reached", () =>
    Effect.gen(function* () {
      const agent = yield* AgentRuntime
      const failure = yield* Effect.flip(agent.run({ prompt: "hi" }))
      assert.instanceOf(failure, AgentError)
      assert.deepInclude(failure.reason, { _tag: "Killed", signal: "SIGKILL" })
      assert.deepInclude(failure.result, { outcome: "failed", reason: "killed", text: "last words" })
      const handled = agent
        .run({ prompt: "hi" })
        .pipe(Effect.catchReason("AgentError", "Killed", (reason) => Effect.succeed(reason.signal)))
      assert.strictEqual(yield* handled, "SIGKILL")
    }).pipe(Effect.provide(InstalledFake.layer(FakeCli.claude([Step.text("last words"), Step.signal("SIGKILL")]))))
  )

  it.live("fails typed when it is aborted", () =>
    Effect.gen(function* () {
      const { options, pid } = yield* running
      const abort = new AbortController()
      const run = AgentRuntime.use((agent) => agent.run({ prompt: "hi", abortSignal: abort.signal }))
      const fiber = yield* run.pipe(Effect.provide(layer(options)), Effect.flip, Effect.forkChild)
      const child = yield* pid
      abort.abort()
      const failure = yield* Fiber.join(fiber)
      assert.strictEqual(failure.reason._tag, "Aborted")
      assert.isTrue(failure.result.aborted)
      assertAllDead([child])
    })
  )

  it.live("is interrupted when it is interrupted, and no failure is made of that", () =>
    Effect.gen(function* () {
      const { options, pid } = yield* running
      const run = AgentRuntime.use((agent) => agent.run({ prompt: "hi" }))
      const fiber = yield* run.pipe(Effect.provide(layer(options)), Effect.forkChild)
      const child = yield* pid
      yield* Fiber.interrupt(fiber)
      const exit = yield* Fiber.await(fiber)
      assert.isTrue(Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause))
      assertAllDead([child])
    })
  )
})

describe("params from JavaScript", () => {
  it.live.each([
    [{ prompt: "hi", cwd: "." }, 'cwd: is not a known field; did you mean "workingDirectory"?'],
    [{ prompt: 5 }, "prompt"],
    [{}, "prompt"],
    [{ prompt: "" }, "prompt"],
    [{ prompt: "hi", maxTurns: "3" }, "maxTurns"],
    [{ prompt: "hi", abortSignal: {} }, "abortSignal"],
    [{ prompt: "hi", timeouts: { idle: "soon" } }, "timeouts.idle"],
    [{ prompt: "hi", mcpServers: { tiny: { args: [] } } }, "mcpServers.tiny"],
    [{ prompt: "hi", sessionId: "--help" }, "sessionId"],
    [null, "params"],
    ["hi", "params"],
    [undefined, "params"]
  ] as const)("%j is refused, and %s is named", ([params, name]) =>
    Effect.gen(function* () {
      const agent = yield* AgentRuntime
      const events = yield* Stream.runCollect(agent.execute(untyped(params)))
      assert.strictEqual(resultOf(events).reason, "invalid_params")
      assert.include(errorOf(events).message, name)
      assert.strictEqual(events.length, 2)
      const failure = yield* Effect.flip(agent.run(untyped(params)))
      assert.strictEqual(failure.reason._tag, "InvalidParams")
    }).pipe(Effect.provide(layer(program("speaks"))))
  )
})

describe("the layer", () => {
  it.live("ends what still runs when it is closed, also a run whose consumer has paused", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const context = yield* Layer.buildWithScope(layer(program("ignores-sigterm")), scope)
      const text = yield* Deferred.make<AgentEvent>()
      const consumer = yield* Context.get(context, AgentRuntime)
        .execute({ prompt: "hi" })
        .pipe(
          Stream.runForEach((event) => Effect.andThen(Deferred.succeed(text, event), Effect.never)),
          Effect.forkChild
        )
      const pids = pidsOf([yield* Deferred.await(text)])
      assert.isTrue(pids.every(isAlive), "it runs until the layer is closed")
      yield* Scope.close(scope, Exit.void)
      assertAllDead(pids)
      yield* Fiber.interrupt(consumer)
    })
  )
})
