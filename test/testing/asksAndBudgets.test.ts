/** Given events with the rules, functions and budgets of a real agent. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Schema, Scope, Stream } from "effect"
import { TestClock } from "effect/testing"
import { AgentRuntime } from "../../src/agents/AgentRuntime.ts"
import * as Approvals from "../../src/agents/Approvals.ts"
import { AgentEvent } from "../../src/contract/AgentEvent.ts"
import { testAgent } from "../../src/testing.ts"
import { TestRuntime } from "../../src/testingEffect.ts"
import { endingOf, resultOf, timedOut } from "../kit/events.ts"
import { turnResult, typed } from "../kit/live.ts"
import { text } from "./events.ts"

const request = Schema.decodeUnknownSync(AgentEvent)({
  type: "permission_request",
  requestId: "r1",
  toolName: "Bash",
  toolId: "t1",
  kind: "command",
  input: { command: "ls" },
  title: "ls",
  command: "ls",
  escalated: false,
  scopes: []
})
const question = Schema.decodeUnknownSync(AgentEvent)({
  type: "question",
  requestId: "q1",
  questions: [{ question: "Which?", options: [{ label: "Red" }], multiple: false, freeText: true }]
})

const script = [text("before "), request, question, text("after")]
const asking = TestRuntime.layer(script)

const turnOf = (params: Parameters<AgentRuntime["Service"]["open"]>[0]) =>
  Effect.gen(function* () {
    const session = yield* AgentRuntime.use((agent) => agent.open(params))
    return yield* Stream.runCollect(session.turn("go"))
  }).pipe(Effect.scoped, Effect.provide(asking))

describe("what given events ask in a session", () => {
  it.effect("is decided by its rules, and by its functions", () =>
    Effect.gen(function* () {
      const known: Array<string> = []
      const ask = Approvals.ask(({ command }) => {
        known.push(command ?? "")
        return { decision: "allow" } as const
      })
      const events = yield* turnOf({ approvals: [ask], questions: { handler: () => ({ "Which?": ["Red"] }) } })
      assert.deepStrictEqual(
        events.map(({ type }) => type),
        ["text", "permission_request", "permission_decision", "question", "question_answer", "text", "turn_done"]
      )
      assert.deepInclude(typed(events, "permission_decision")[0], { decision: "allow", by: "handler", requestId: "r1" })
      assert.deepInclude(typed(events, "question_answer")[0], { answers: { "Which?": ["Red"] }, by: "handler" })
      assert.include(typed(events, "permission_request")[0]?.preview, "ls")
      assert.deepStrictEqual(known, ["ls"])
      assert.strictEqual(turnResult(events).text, "before after")
    })
  )

  it.effect("is denied if no rule allows it, and left unanswered if questions are off", () =>
    Effect.gen(function* () {
      const events = yield* turnOf({})
      assert.deepInclude(typed(events, "permission_decision")[0], { decision: "deny", by: "rule" })
      assert.isUndefined(typed(events, "question_answer")[0]?.answers)
    })
  )

  it.effect("waits for its deadline, and says so", () =>
    Effect.gen(function* () {
      const rules = [Approvals.ask(undefined, { deadline: "10 seconds" })]
      const turn = yield* Effect.forkChild(turnOf({ approvals: rules }), { startImmediately: true })
      yield* TestClock.adjust("11 seconds")
      const events = yield* Fiber.join(turn)
      assert.deepInclude(typed(events, "permission_decision")[0], { decision: "deny", by: "deadline" })
    })
  )

  it.effect("waits for a person longer than an agent may be silent", () =>
    Effect.gen(function* () {
      const rules = [Approvals.ask(undefined, { deadline: "1 day" })]
      const turn = yield* Effect.forkChild(turnOf({ approvals: rules }), { startImmediately: true })
      yield* TestClock.adjust("1 day")
      const events = yield* Fiber.join(turn)
      assert.deepInclude(typed(events, "permission_decision")[0], { decision: "deny", by: "deadline" })
      assert.deepInclude(turnResult(events), { outcome: "completed", text: "before after", durationMs: 86_400_000 })
    })
  )

  it.effect("ends by `timeouts.approval` once it is answered, and the script is left where it stands", () =>
    Effect.gen(function* () {
      const rules = [Approvals.ask(undefined, { deadline: "1 day" })]
      const params = { approvals: rules, timeouts: { approval: "2 hours" } } as const
      const turn = yield* Effect.forkChild(turnOf(params), { startImmediately: true })
      yield* TestClock.adjust("1 day")
      const events = yield* Fiber.join(turn)
      assert.deepInclude(turnResult(events), { outcome: "timed_out", text: "before " })
    })
  )

  it("waits for decide and answer of the plain door, each of which counts once", async () => {
    await using agent = testAgent(script)
    await using session = await agent.open({ approvals: [Approvals.ask()], questions: {} })
    const decisions: Array<boolean> = []
    const reported: Array<unknown> = []
    for await (const event of session.turn("go")) {
      if (event.type === "permission_request") {
        decisions.push(await session.decide("r1", { decision: "allow" }))
        decisions.push(await session.decide("r1", { decision: "deny" }))
        const unknown = await session.decide("another", { decision: "allow" }).catch((error: Error) => error.message)
        assert.strictEqual(unknown, "claude: requestId: is of no request or question of this session")
      }
      if (event.type === "question") decisions.push(await session.answer("q1", { "Which?": ["Green"] }))
      if (event.type === "permission_decision") reported.push([event.decision, event.by])
      if (event.type === "question_answer") reported.push(event.answers)
    }
    assert.deepStrictEqual(decisions, [true, false, true])
    assert.deepStrictEqual(reported, [["allow", "caller"], { "Which?": ["Green"] }])
  })

  it.effect("is withdrawn by an interrupt", () =>
    Effect.gen(function* () {
      const session = yield* AgentRuntime.use((agent) => agent.open({ approvals: [Approvals.ask()] }))
      const events = yield* session.turn("go").pipe(
        Stream.tap(({ type }) => (type === "permission_request" ? session.interrupt : Effect.void)),
        Stream.runCollect
      )
      assert.deepInclude(typed(events, "permission_decision")[0], { decision: "withdrawn" })
      assert.strictEqual(turnResult(events).outcome, "aborted")
      assert.isFalse(yield* session.decide("r1", { decision: "allow" }))
    }).pipe(Effect.scoped, Effect.provide(asking))
  )
})

const silent = TestRuntime.layer(() => Stream.concat(Stream.make(text("one")), Stream.never))

describe("given events that stay away", () => {
  it.effect.each([
    ["total", { total: "10 seconds" }, timedOut("total")],
    ["idle", { idle: "10 seconds" }, timedOut("idle")]
  ] as const)("end the run by its budget: %s", ([, timeouts, ending]) =>
    Effect.gen(function* () {
      const agent = yield* AgentRuntime
      const run = yield* Effect.forkChild(Stream.runCollect(agent.execute({ prompt: "go", timeouts })), {
        startImmediately: true
      })
      yield* TestClock.adjust("11 seconds")
      assert.deepStrictEqual(endingOf(yield* Fiber.join(run)), ending)
    }).pipe(Effect.provide(silent))
  )

  it.effect("end the session by its budget, and the turn with it", () =>
    Effect.gen(function* () {
      const agent = yield* AgentRuntime
      const scope = yield* Scope.fork(yield* Effect.scope)
      const session = yield* Scope.provide(agent.open({ timeouts: { total: "10 seconds" } }), scope)
      const all = yield* Effect.forkChild(Stream.runCollect(session.events), { startImmediately: true })
      const turn = yield* Effect.forkChild(Stream.runCollect(session.turn("go")), { startImmediately: true })
      yield* TestClock.adjust("11 seconds")
      assert.strictEqual(turnResult(yield* Fiber.join(turn)).outcome, "timed_out")
      assert.strictEqual(resultOf(yield* Fiber.join(all)).outcome, "timed_out")
      const late = yield* Effect.flip(session.send("more"))
      assert.strictEqual(late.reason._tag, "TimedOut")
    }).pipe(Effect.scoped, Effect.provide(silent))
  )
})
