/** Live sessions of a conversation whose home is on another machine: requests from there are decided here. On PostgreSQL. */
import { NodeServices } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Layer, Scope, Stream } from "effect"
import { AgentRuntime } from "../../src/agents/AgentRuntime.ts"
import { clis } from "../../src/agents/Agents.ts"
import { ask, plan } from "../../src/agents/Approvals.ts"
import { makeLog, peer, script, typed } from "../kit/live.ts"
import { hasPostgres, makeDatabase } from "../kit/postgres.ts"
import { startClient, startHome } from "./kit/homes.ts"

const agents = {
  claude: AgentRuntime.layer(clis.claude, { killGrace: "1 second", ...peer("claude") }).pipe(
    Layer.provide(NodeServices.layer)
  )
}

const opened = Effect.gen(function* () {
  const { url } = yield* makeDatabase
  yield* startHome(url, "a", undefined, { agents })
  const { sessions } = yield* startClient(url)
  const session = yield* sessions.open({
    conversation: "c",
    approvals: [ask()],
    questions: { deadline: "1 minute" }
  })
  const log = makeLog()
  yield* Effect.forkScoped(Stream.runForEach(session.events, log.push), { startImmediately: true })
  return { session, log, sessions }
})

const inCluster = <E>(name: string, body: Effect.Effect<void, E, Scope.Scope>) =>
  it.live(name, () => Effect.scoped(body), 60_000)

describe.skipIf(!hasPostgres)("a live session in another home", () => {
  inCluster(
    "asks here, goes on there, and keeps its session from turn to turn",
    Effect.gen(function* () {
      const { session, log } = yield* opened
      const turn = yield* Effect.forkChild(
        Stream.runCollect(session.turn(script({ ask: { id: "t1", command: "ls" } }, { await: 1 }, { say: "done" })))
      )
      yield* log.until((events) => typed(events, "permission_request").length === 1)
      const [request] = typed(log.events, "permission_request")
      assert.isTrue(yield* session.decide(request?.requestId ?? "", { decision: "allow" }))
      const events = yield* Fiber.join(turn)
      assert.deepStrictEqual(
        typed(events, "permission_decision").map(({ decision, by }) => [decision, by]),
        [["allow", "caller"]]
      )
      assert.strictEqual(typed(events, "turn_done").length, 1)
      const first = session.sessionId
      assert.isDefined(first)
      const second = yield* Stream.runCollect(session.turn(script({ say: "again" })))
      assert.strictEqual(typed(second, "turn_done")[0]?.result.outcome, "completed")
      assert.strictEqual(session.sessionId, first)
      assert.isFalse(yield* session.decide("none", { decision: "allow" }))
    })
  )

  inCluster(
    "takes up a text in the middle of a turn, and is interrupted",
    Effect.gen(function* () {
      const { session, log } = yield* opened
      const turn = yield* Effect.forkChild(
        Stream.runCollect(session.turn(script({ say: "one" }, { steered: 1 }, { hang: true })))
      )
      yield* log.until((events) => typed(events, "text").length > 0)
      assert.isTrue(yield* session.steer(script({ say: "more" })))
      assert.isTrue(yield* session.interrupt)
      const events = yield* Fiber.join(turn)
      assert.strictEqual(typed(events, "turn_done")[0]?.result.outcome, "aborted")
      assert.isFalse(yield* session.interrupt)
      yield* session.idle
    })
  )

  inCluster(
    "gives earlier events to the first reader alone, and its end to all, as a session of this machine does",
    Effect.gen(function* () {
      const { sessions } = yield* opened
      const scope = yield* Scope.make()
      const session = yield* Scope.provide(sessions.open({ conversation: "e" }), scope)
      yield* Stream.runDrain(session.turn(script({ say: "one" })))
      const read = () => {
        const log = makeLog()
        return Effect.map(
          Effect.forkChild(Stream.runForEach(session.events, log.push), { startImmediately: true }),
          (fiber) => ({ log, fiber })
        )
      }
      const [first, second] = [yield* read(), yield* read()]
      yield* Stream.runDrain(session.turn(script({ say: "two" })))
      yield* Scope.close(scope, Exit.void)
      yield* Fiber.join(first.fiber)
      yield* Fiber.join(second.fiber)
      const reported = [first, second].map(({ log }) => typed(log.events, "text").map(({ text }) => text))
      assert.deepStrictEqual(reported, [["one\n", "two\n"], ["two\n"]])
      for (const { log } of [first, second]) assert.strictEqual(log.events.at(-1)?.type, "done")
    })
  )

  inCluster(
    "refuses what only this machine has",
    Effect.gen(function* () {
      const { sessions } = yield* opened
      const refused = yield* Effect.flip(
        Effect.scoped(sessions.open({ conversation: "d", approvals: [plan(async () => ({ decision: "outline" }))] }))
      )
      assert.include(refused.message, "is a function")
      const without = yield* Effect.flip(Effect.scoped(sessions.open()))
      assert.include(without.message, "conversation: is missing")
    })
  )
})
