/**
 * For every CLI value: a second user of a session waits, fails or continues in a fork, by its option; an idle live session is
 * closed for it, and a working one is not.
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Fiber, Layer, Stream } from "effect"
import { AgentRuntime } from "../../src/agents/AgentRuntime.ts"
import { clis } from "../../src/agents/Agents.ts"
import { OwnRequests } from "../../src/agents/engine/ownSeams.ts"
import type { AgentEvent } from "../../src/contract/AgentEvent.ts"
import { FakeCli, Step } from "../../src/testing.ts"
import { InstalledFake } from "../../src/testingEffect.ts"
import { killGrace } from "../kit/agent.ts"
import { completed, endingOf, errorOf, noticesOf, resultOf } from "../kit/events.ts"
import { ended, ids, makeLog, open, turnResult, turnsDone, typed } from "../kit/live.ts"

const newId = (id: (typeof ids)[number]) =>
  id === "opencode" ? `ses_${crypto.randomUUID().replaceAll("-", "").slice(0, 26)}` : crypto.randomUUID()

const last = (events: ReadonlyArray<AgentEvent>) => events.slice(-2)

describe.each(ids)("a live session of %s", (id) => {
  it.live("that is idle closes when another run needs its session, gives the reason, and has not failed", () =>
    Effect.gen(function* () {
      const sessionId = newId(id)
      const first = yield* open(id, { sessionId })
      yield* first.turn({ say: "hello" })
      const second = yield* Effect.forkScoped(open(id, { sessionId }), { startImmediately: true })
      yield* ended(first.log)
      const [notice, done] = last(first.log.events)
      assert.deepInclude(notice, { type: "notice", kind: "info" })
      assert.match(JSON.stringify(notice), /it was idle, and another process or run waits for it/)
      assert.deepInclude(done, { type: "done" })
      assert.deepInclude(resultOf(first.log.events), { outcome: "completed", reason: "completed" })
      const { turn } = yield* Fiber.join(second)
      assert.strictEqual(turnResult(yield* turn({ say: "here" })).outcome, "completed")
      // It reports that it is closed, and nothing waits.
      const refused = yield* first.turn({ say: "too late" })
      assert.deepInclude(turnResult(refused), { outcome: "aborted" })
    })
  )
})

it.live("a working live session continues until it is idle", () =>
  Effect.gen(function* () {
    const sessionId = newId("claude")
    const first = yield* open("claude", { sessionId, questions: {} })
    yield* first.begin({ question: { id: "1", question: "which one?", options: ["a", "b"] } }, { await: 1 })
    yield* first.log.until((events) => typed(events, "question").length > 0)
    const busy = yield* Effect.flip(open("claude", { sessionId, whenBusy: "fail" }))
    assert.deepInclude(busy.reason, { _tag: "SessionBusy", what: "session", subject: sessionId, waitedMs: 0 })
    const second = yield* Effect.forkScoped(open("claude", { sessionId }), { startImmediately: true })
    // Longer than the poll interval of an idle session.
    yield* Effect.sleep("1200 millis")
    assert.isEmpty(typed(first.log.events, "done"))
    const [question = assert.fail()] = typed(first.log.events, "question")
    yield* first.session.answer(question.requestId, { "which one?": ["a"] })
    yield* turnsDone(first.log, 1)
    yield* ended(first.log)
    yield* Fiber.join(second)
  })
)

it.live("a live session also releases a conversation that it holds", () =>
  Effect.gen(function* () {
    let isAsked = false
    const { log, turn } = yield* open("claude").pipe(Effect.provideService(OwnRequests, [() => isAsked]))
    yield* turn({ say: "hello" })
    assert.isEmpty(typed(log.events, "done"))
    isAsked = true
    yield* ended(log)
    assert.deepStrictEqual(endingOf(log.events), completed)
  })
)

describe.each(ids)("a run of %s on a session in use", (id) => {
  const canFork = clis[id].supports.has("forkSession")

  it.live("waits, fails at once, or continues in a fork, by its option", () =>
    Effect.gen(function* () {
      const sessionId = newId(id)
      const { command, calls } = yield* InstalledFake.make(
        FakeCli.inTurn(FakeCli[id]([Step.text("at work"), Step.wait("4 seconds")]), FakeCli[id]([Step.text("done")]))
      )
      const layer = AgentRuntime.layer(clis[id], { killGrace, command }).pipe(Layer.provide(NodeServices.layer))
      const { execute } = Context.get(yield* Layer.build(layer), AgentRuntime)
      const log = makeLog()
      const params = { prompt: "hello", sessionId, timeouts: { linger: 1 } }
      const first = yield* Effect.forkScoped(Stream.runForEach(execute(params), log.push), { startImmediately: true })
      yield* log.until((events) => typed(events, "session").length > 0)
      const waiting = yield* Effect.forkScoped(Stream.runCollect(execute(params)), { startImmediately: true })

      const failed = yield* Stream.runCollect(execute({ ...params, whenBusy: "fail" }))
      assert.deepInclude(errorOf(failed), { code: "session_busy", category: "busy" })
      assert.include(errorOf(failed).message, sessionId)
      assert.lengthOf(calls(), 1)

      const forked = yield* Stream.runCollect(execute({ ...params, whenBusy: "fork" }))
      assert.isUndefined(first.pollUnsafe())
      if (canFork) {
        assert.deepStrictEqual(endingOf(forked), completed)
        assert.notStrictEqual(resultOf(forked).sessionId, sessionId)
        assert.match(
          noticesOf(forked)[0]?.message ?? "",
          /^The session ".+" is used.*: the run goes on in a fork of it$/
        )
      } else {
        assert.deepInclude(errorOf(forked), { code: "unsupported_option" })
        assert.include(errorOf(forked).message, `${id} does not support whenBusy "fork"`)
      }

      yield* Fiber.join(first)
      assert.deepStrictEqual(endingOf(log.events), completed)
      const waited = yield* Fiber.join(waiting)
      assert.deepStrictEqual(endingOf(waited), completed)
      assert.include(noticesOf(waited)[0], { kind: "queued", message: "The start waits: another run uses the session" })
      assert.lengthOf(calls(), canFork ? 3 : 2)
    })
  )
})
