/** A live session of `TestRuntime.layer`: its turns, its interrupts and its end keep the promises of a real one. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Scope, Stream } from "effect"
import type { AgentEvent } from "../../src/contract/AgentEvent.ts"
import type { AgentOpenParams } from "../../src/contract/AgentOpenParams.ts"
import { type AgentError, AgentRuntime, clis } from "../../src/index.ts"
import { TestRuntime } from "../../src/testingEffect.ts"
import { turnResult } from "../kit/live.ts"
import { settled } from "../kit/scripted.ts"

const text = (word: string): AgentEvent => ({ type: "text", text: word })
const types = (events: ReadonlyArray<AgentEvent>) => events.map(({ type }) => type)

/** Says its prompt back; `hang` then says nothing more. */
const layer = TestRuntime.layer(({ prompt }) => {
  const content = Stream.make(text(prompt))
  return prompt === "hang" ? Stream.concat(content, Stream.never) : content
})

const opened = Effect.fnUntraced(function* (params: AgentOpenParams = {}) {
  const scope = yield* Scope.fork(yield* Effect.scope)
  const session = yield* AgentRuntime.use((agent) => Scope.provide(agent.open(params), scope))
  const all = yield* Effect.forkScoped(Stream.runCollect(session.events), { startImmediately: true })
  return { session, close: Scope.close(scope, Exit.void), all: Fiber.join(all) }
})

/** Has begun when this returns. */
const begin = (turn: Stream.Stream<AgentEvent>) =>
  Effect.tap(Effect.forkScoped(Stream.runCollect(turn), { startImmediately: true }), settled)

describe("a session of TestRuntime.layer", () => {
  it.effect("takes one turn after another, and tells all of them", () =>
    Effect.gen(function* () {
      const { session, close, all } = yield* opened()
      const second = yield* begin(session.turn("hang"))
      const third = yield* begin(session.turn("b"))
      assert.strictEqual(yield* session.send("c"), "queued")
      assert.isTrue(yield* session.interrupt)
      assert.strictEqual(turnResult(yield* Fiber.join(second)).outcome, "aborted")
      assert.strictEqual(turnResult(yield* Fiber.join(third)).text, "b")
      yield* settled
      yield* close
      const reported = yield* all
      const turns = reported.flatMap((event) => (event.type === "turn_done" ? [event.result.text] : []))
      assert.deepStrictEqual([turns, reported.at(-1)?.type], [["hang", "b", "c"], "done"])
    }).pipe(Effect.provide(layer))
  )

  it.effect("tells whether an interrupt found a turn", () =>
    Effect.gen(function* () {
      const { session } = yield* opened()
      assert.isFalse(yield* session.interrupt)
      yield* begin(session.turn("hang"))
      assert.isTrue(yield* session.interrupt)
      yield* settled
      assert.isFalse(yield* session.interrupt)
    }).pipe(Effect.provide(layer))
  )

  it.effect("ends its turn by the signal of its params", () =>
    Effect.gen(function* () {
      const controller = new AbortController()
      const { session } = yield* opened({ abortSignal: controller.signal })
      const turn = yield* begin(session.turn("hang"))
      controller.abort()
      assert.strictEqual(turnResult(yield* Fiber.join(turn)).outcome, "aborted")
    }).pipe(Effect.provide(layer))
  )

  it.effect("ends with its scope: the turn under way, and what is asked of it afterwards, is aborted", () =>
    Effect.gen(function* () {
      const { session, close, all } = yield* opened()
      const turn = yield* begin(session.turn("hang"))
      yield* close
      assert.strictEqual(turnResult(yield* Fiber.join(turn)).outcome, "aborted")
      assert.deepStrictEqual(types(yield* all), ["text", "error", "turn_done", "done"])
      assert.strictEqual(turnResult(yield* Stream.runCollect(session.turn("late"))).outcome, "aborted")
      assert.isTrue(Exit.isFailure(yield* Effect.exit(session.send("late"))))
      assert.isFalse(yield* session.interrupt)
    }).pipe(Effect.provide(layer))
  )

  const wrong = [
    [{ maxTurns: 1 }, { _tag: "UnsupportedOption", option: "maxTurns", cli: "codex" }],
    [{ promt: "typo" }, { _tag: "InvalidParams" }],
    [{ sessionId: "no UUID" }, { _tag: "InvalidParams", option: "sessionId" }],
    [{ extraArgs: ["--yolo"] }, { _tag: "InvalidParams", option: "extraArgs" }]
  ] as const
  it.effect.each(wrong)("does not open with params that its CLI refuses: %j", ([params, expected]) =>
    Effect.gen(function* () {
      // as a caller in JavaScript would hand them over
      const { cli, reason } = yield* Effect.flip(AgentRuntime.use((agent) => agent.open(params as AgentOpenParams)))
      assert.strictEqual(cli, "codex")
      assert.deepInclude(reason, expected)
    }).pipe(Effect.scoped, Effect.provide(TestRuntime.layer([], { cli: clis.codex })))
  )

  it.effect("refuses an invalid text and mode, and continues", () =>
    Effect.gen(function* () {
      const { session } = yield* opened()
      assert.strictEqual(turnResult(yield* Stream.runCollect(session.turn(" "))).reason, "invalid_params")
      const mode = "none" as "plan" // as a caller in JavaScript would hand it over
      for (const request of [session.send(""), session.setModel(" "), session.setPermissionMode(mode)]) {
        assert.strictEqual((yield* Effect.flip<unknown, AgentError, never>(request)).reason._tag, "InvalidParams")
      }
      yield* session.setPermissionMode("plan")
      assert.strictEqual(turnResult(yield* Stream.runCollect(session.turn("b"))).text, "b")
    }).pipe(Effect.provide(layer))
  )
})
