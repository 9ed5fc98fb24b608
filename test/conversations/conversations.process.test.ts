/** A conversation goes on with its session, and begins a new one where it has to; over stores in memory and in a file. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Duration, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { AgentFailed, Exited, LimitReached, SessionChanged } from "../../src/contract/AgentError.ts"
import type { ErrorCategory } from "../../src/contract/ErrorCategory.ts"
import { Store } from "../../src/conversations/store/Store.ts"
import { conversing, type Play, stores, testAgent } from "./kit.ts"

const failed = (category: ErrorCategory) => new AgentFailed({ code: category, category, detail: "no" })
const lost = failed("session_not_found")
const empty = { text: "", facts: { numTurns: 0, apiDurationMs: 0 } } satisfies Play

const rows = (table: string) =>
  Effect.flatMap(Store, ({ sql, read }) => read(sql.unsafe<Record<string, unknown>>(`select * from ${table}`)))

describe.each(stores)("conversations, in %s", (_, layer) => {
  const test = <E>(name: string, body: Effect.Effect<void, E, Store>) =>
    it.effect(name, () => Effect.provide(body, layer()))

  /** Sessions that the agent resumed in each run. */
  const resumed = (plays: ReadonlyArray<Play>, turns: ReadonlyArray<object>) =>
    Effect.gen(function* () {
      const agent = testAgent(plays)
      const { run } = yield* conversing(agent)
      const ends = []
      for (const turn of turns) {
        const end = yield* Effect.result(run({ conversation: "a", prompt: "hello", ...turn }))
        ends.push(end._tag === "Success" ? "completed" : end.failure.reason._tag)
      }
      return { ends, asked: agent.calls.map(({ params: { sessionId } }) => sessionId), agent }
    }).pipe(Effect.scoped)

  test(
    "go on with their session, each with its own",
    Effect.gen(function* () {
      const agent = testAgent([{}])
      const { run } = yield* conversing(agent)
      const one = yield* run({ conversation: "a", prompt: "one" })
      const other = yield* run({ conversation: ["a", "b"], prompt: "one" })
      yield* run({ conversation: ["a"], prompt: "two" })
      yield* run({ conversation: ["a", "b"], prompt: "two" })
      yield* run({ conversation: 'a","b', prompt: "no separator collides" })
      assert.notStrictEqual(one.sessionId, other.sessionId)
      assert.deepStrictEqual(
        agent.calls.map(({ params: { sessionId } }) => sessionId),
        [undefined, undefined, one.sessionId, other.sessionId, undefined]
      )
    }).pipe(Effect.scoped)
  )

  test(
    "go on in the directory in which they were",
    Effect.gen(function* () {
      const agent = testAgent([{}], { workingDirectory: "/tmp" })
      const { run } = yield* conversing(agent)
      yield* run({ conversation: "a", prompt: "one", workingDirectory: "/usr" })
      yield* run({ conversation: "a", prompt: "two" })
      assert.strictEqual(agent.calls[1]?.params.workingDirectory, "/usr")
    }).pipe(Effect.scoped)
  )

  test(
    "have a session for each CLI",
    Effect.gen(function* () {
      const [one, other] = [testAgent([{}]), testAgent([{}], { cli: "codex" })]
      const [claude, codex] = [yield* conversing(one), yield* conversing(other)]
      const first = yield* claude.run({ conversation: "a", prompt: "one" })
      const second = yield* codex.run({ conversation: "a", prompt: "one" })
      yield* claude.run({ conversation: "a", prompt: "two" })
      yield* codex.run({ conversation: "a", prompt: "two" })
      assert.strictEqual(one.calls[1]?.params.sessionId, first.sessionId)
      assert.strictEqual(other.calls[1]?.params.sessionId, second.sessionId)
    }).pipe(Effect.scoped)
  )

  test(
    "are saved only after a run without error",
    Effect.gen(function* () {
      const { asked: request, ends } = yield* resumed([{ sessionId: "s", failure: failed("other") }, {}], [{}, {}])
      assert.deepStrictEqual(
        [request, ends],
        [
          [undefined, undefined],
          ["AgentFailed", "completed"]
        ]
      )
    })
  )

  test(
    "keep their session when a run fails, or goes on in another session",
    Effect.gen(function* () {
      const changed = new SessionChanged({ asked: "s", got: "other" })
      const { asked: request } = yield* resumed(
        [{ sessionId: "s" }, { failure: changed, text: "some" }, { failure: failed("rate_limit") }, {}],
        [{}, {}, {}, {}]
      )
      assert.deepStrictEqual(request, [undefined, "s", "s", "s"])
    })
  )

  test(
    "begin a new session where the CLI no longer has theirs, and say so",
    Effect.gen(function* () {
      const agent = testAgent([{ sessionId: "s" }, { failure: lost, text: "" }, { sessionId: "t" }, {}])
      const { run, events } = yield* conversing(agent)
      yield* run({ conversation: "a", prompt: "one" })
      const reported = yield* events({ conversation: "a", prompt: "two" })
      assert.deepStrictEqual(
        reported.map((event) => (event.type === "notice" ? event.kind : event.type)),
        ["session_reset", "session", "text", "done"]
      )
      yield* run({ conversation: "a", prompt: "three" })
      assert.deepStrictEqual(
        agent.calls.map(({ params: { sessionId } }) => sessionId),
        [undefined, "s", undefined, "t"]
      )
      const states = (yield* rows("sessions")).map((row) => [row["session_id"], row["state"]])
      assert.sameDeepMembers(states, [
        ["s", "dead"],
        ["t", "live"]
      ])
    }).pipe(Effect.scoped)
  )

  test(
    "fail where the caller wants that, and begin anew next time",
    Effect.gen(function* () {
      const { asked: request, ends } = yield* resumed(
        [{ sessionId: "s" }, { failure: lost, text: "" }, {}],
        [{}, { onMissing: "fail" }, {}]
      )
      assert.deepStrictEqual(ends, ["completed", "AgentFailed", "completed"])
      assert.deepStrictEqual(request, [undefined, "s", undefined])
    })
  )

  test(
    "leave a session alone that succeeds without a turn",
    Effect.gen(function* () {
      const { asked: request, ends } = yield* resumed([{ sessionId: "s" }, empty, {}], [{}, {}])
      assert.deepStrictEqual(
        [request, ends],
        [
          [undefined, "s", undefined],
          ["completed", "completed"]
        ]
      )
    })
  )

  test(
    "leave a session alone after three failures in a row without output",
    Effect.gen(function* () {
      const crash = new Exited({ exitCode: 1, category: "crash", stderr: "" })
      const bad = { failure: crash, text: "" }
      const { asked: request, ends } = yield* resumed(
        [{ sessionId: "s" }, bad, bad, {}, bad, bad, bad, { sessionId: "t" }, {}],
        [{}, {}, {}, {}, {}, {}, {}, {}]
      )
      assert.deepStrictEqual(request, [undefined, "s", "s", "s", "s", "s", "s", undefined, "t"])
      assert.deepStrictEqual(ends.filter((end) => end === "Exited").length, 4)
    })
  )

  test(
    "do not blame a session for the failures of others",
    Effect.gen(function* () {
      const bad = (["rate_limit", "overloaded", "network", "auth", "billing"] as const).map((category) => ({
        failure: failed(category),
        text: ""
      }))
      const { asked: request } = yield* resumed(
        [{ sessionId: "s" }, ...bad, {}],
        Array.from({ length: 7 }, () => ({}))
      )
      assert.deepStrictEqual(request, [undefined, ...Array.from({ length: 6 }, () => "s")])
    })
  )

  test(
    "forget their session a week after its last use, whatever the clock does",
    Effect.gen(function* () {
      const agent = testAgent([{}])
      const { run, events } = yield* conversing(agent)
      const request = () => agent.calls.at(-1)?.params.sessionId
      yield* TestClock.setTime(1_000_000_000_000)
      const { sessionId } = yield* run({ conversation: "a", prompt: "one" })
      yield* TestClock.adjust(Duration.days(6))
      yield* run({ conversation: "a", prompt: "two" })
      yield* TestClock.adjust(Duration.days(6))
      yield* run({ conversation: "a", prompt: "three" })
      assert.strictEqual(request(), sessionId)
      yield* TestClock.setTime(1_000_000_000_000 + Duration.toMillis(Duration.days(11)))
      yield* run({ conversation: "a", prompt: "set back a day" })
      yield* TestClock.setTime(1_000_000_000_000 + Duration.toMillis(Duration.days(18.5)))
      yield* run({ conversation: "a", prompt: "four" })
      assert.strictEqual(request(), sessionId)
      yield* TestClock.adjust(Duration.days(8))
      const reported = yield* events({ conversation: "a", prompt: "five" })
      assert.strictEqual(request(), undefined)
      assert.deepInclude(reported[0], { type: "notice", kind: "session_reset" })
    }).pipe(Effect.scoped)
  )

  test(
    "begin anew when asked to, and go on with a session that is named",
    Effect.gen(function* () {
      const { asked: request } = yield* resumed(
        [{ sessionId: "s" }, { sessionId: "t" }, {}, {}, {}],
        [{}, { fresh: true }, {}, { sessionId: "mine" }, {}]
      )
      assert.deepStrictEqual(request, [undefined, undefined, "t", "mine", "mine"])
    })
  )

  test(
    "keep their session when a turn goes on in a fork",
    Effect.gen(function* () {
      const { asked: request, agent } = yield* resumed(
        [{ sessionId: "s" }, { sessionId: "f" }, {}],
        [{}, { forkSession: true }, {}]
      )
      assert.deepStrictEqual(request, [undefined, "s", "s"])
      assert.isTrue(agent.calls[1]?.params.forkSession)
      const parents = (yield* rows("sessions")).map((row) => [row["session_id"], row["parent_key"] !== null])
      assert.sameDeepMembers(parents, [
        ["s", false],
        ["f", true]
      ])
    })
  )

  test(
    "keep their session when another gate has made a fork of the turn",
    Effect.gen(function* () {
      const { asked: request } = yield* resumed(
        [{ sessionId: "s" }, { sessionId: "f" }, {}],
        [{}, { whenBusy: "fork" }, {}]
      )
      assert.deepStrictEqual(request, [undefined, "s", "s"])
    })
  )

  test(
    "have one turn after the other, in their order",
    Effect.gen(function* () {
      const gate = Deferred.makeUnsafe<void>()
      const agent = testAgent([{ until: Deferred.await(gate) }])
      const { run, events } = yield* conversing(agent)
      const request: Array<Fiber.Fiber<unknown, unknown>> = []
      for (const count of [1, 2, 3, 4]) {
        request.push(
          yield* Effect.forkChild(run({ conversation: "a", prompt: `${count}` }), { startImmediately: true })
        )
        yield* Effect.repeat(rows("turns"), { until: ({ length }) => length === count })
      }
      const last = yield* Effect.forkChild(events({ conversation: "a", prompt: "5" }), { startImmediately: true })
      yield* TestClock.adjust("1 second")
      yield* Deferred.succeed(gate, undefined)
      yield* TestClock.adjust("1 second")
      yield* Fiber.joinAll(request)
      const reported = yield* Fiber.join(last)
      assert.deepStrictEqual(
        agent.calls.map(({ params }) => params.prompt),
        ["1", "2", "3", "4", "5"]
      )
      assert.deepInclude(reported[0], { type: "notice", kind: "queued" })
      assert.strictEqual(new Set(agent.calls.slice(1).map(({ params: { sessionId } }) => sessionId)).size, 1)
    }).pipe(Effect.scoped)
  )

  test(
    "are busy for those who do not wait, and forked for those who want that",
    Effect.gen(function* () {
      const agent = testAgent((params) =>
        params.forkSession === true
          ? { sessionId: "f" }
          : params.prompt === "long"
            ? { until: Effect.never }
            : { sessionId: "s" }
      )
      const { run } = yield* conversing(agent)
      yield* run({ conversation: "a", prompt: "one" })
      const long = yield* Effect.forkChild(run({ conversation: "a", prompt: "long" }))
      yield* agent.started(2)
      const busy = yield* Effect.flip(run({ conversation: "a", prompt: "two", whenBusy: "fail" }))
      assert.deepInclude(busy.reason, { _tag: "SessionBusy", what: "conversation", subject: "a" })
      const aside = yield* run({ conversation: "a", prompt: "two", whenBusy: "fork" })
      assert.strictEqual(aside.sessionId, "f")
      yield* Fiber.interrupt(long)
      assert.strictEqual((yield* run({ conversation: "a", prompt: "four" })).sessionId, "s")
    }).pipe(Effect.scoped)
  )

  test(
    "are left at once by a waiting caller that aborts",
    Effect.gen(function* () {
      const agent = testAgent([{ until: Effect.never }])
      const { run } = yield* conversing(agent)
      yield* Effect.forkChild(run({ conversation: "a", prompt: "long" }))
      yield* agent.started(1)
      const controller = new AbortController()
      const waiting = yield* Effect.forkChild(
        Effect.flip(run({ conversation: "a", prompt: "two", abortSignal: controller.signal })),
        { startImmediately: true }
      )
      controller.abort()
      assert.strictEqual((yield* Fiber.join(waiting)).reason._tag, "Aborted")
      assert.strictEqual((yield* rows("turns")).length, 1)
    }).pipe(Effect.scoped)
  )

  test(
    "keep nothing of a turn of which nothing was started",
    Effect.gen(function* () {
      const full = new LimitReached({ limit: "total", problem: "full", maxWaitMs: 0 })
      const { ends } = yield* resumed([{ refused: full }, {}], [{ turnId: "t" }, { turnId: "t" }])
      assert.deepStrictEqual(ends, ["LimitReached", "completed"])
      assert.strictEqual((yield* rows("runs")).length, 1)
    })
  )

  test(
    "keep the sessions of runs outside of conversations, too",
    Effect.gen(function* () {
      const agent = testAgent([{ sessionId: "s" }])
      const { run, context } = yield* conversing(agent)
      yield* run({ prompt: "one", model: "opus" })
      yield* run({ prompt: "two", sessionId: "s" })
      const [row] = yield* rows("sessions")
      assert.deepInclude(row, { session_id: "s", title: "one", model: "opus", home: context.store.home })
      assert.strictEqual(Number(row?.["turns"]), 2)
      assert.deepStrictEqual(yield* rows("conversations"), [])
    }).pipe(Effect.scoped)
  )
})
