/** The spans of live sessions: turns, approvals and what the CLI began by itself; and that the kit has the same. */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Exit, Fiber, Stream, Tracer } from "effect"
import { TestClock } from "effect/testing"
import { AgentRuntime } from "../../../src/agents/AgentRuntime.ts"
import { clis } from "../../../src/agents/Agents.ts"
import * as Approvals from "../../../src/agents/Approvals.ts"
import { resultOfNothing } from "../../../src/agents/engine/result.ts"
import { makeMetrics } from "../../../src/agents/telemetry/metrics.ts"
import { makeTelemetry } from "../../../src/agents/telemetry/observation.ts"
import type { AgentEvent } from "../../../src/contract/AgentEvent.ts"
import type { SessionStart, TurnStart } from "../../../src/contract/Start.ts"
import { TestRuntime } from "../../../src/testingEffect.ts"
import { makeSpans, treeOf } from "../../kit/spans.ts"

const toolUse = (toolId: string, parentToolId?: string): AgentEvent => ({
  type: "tool_use",
  toolName: "Bash",
  toolId,
  input: { command: "ls" },
  kind: "command",
  ...(parentToolId === undefined ? {} : { parentToolId })
})
const toolResult = (toolId: string, isError = false): AgentEvent => ({
  type: "tool_result",
  toolId,
  output: "x",
  isError
})
const request: AgentEvent = {
  type: "permission_request",
  requestId: "r1",
  toolName: "Bash",
  toolId: "t1",
  kind: "command",
  input: {},
  title: "ls",
  command: "ls",
  escalated: false,
  scopes: []
}

describe("a turn of given events", () => {
  it.effect("is a span below its session's, with its tools; an approval tells how long it waited", () => {
    const { spans, with: traced, named } = makeSpans()
    const script = TestRuntime.layer([toolUse("t1"), request, toolResult("t1", true), { type: "text", text: "hi" }])
    return Effect.gen(function* () {
      const agent = yield* AgentRuntime
      const session = yield* agent.open({ approvals: [Approvals.ask()] })
      const turn = yield* Effect.forkChild(Stream.runDrain(session.turn("go")), { startImmediately: true })
      yield* TestClock.adjust("90 seconds")
      yield* session.decide("r1", { decision: "deny" })
      yield* Fiber.join(turn)
      yield* Effect.scoped(Stream.runDrain(Stream.take(session.turn("again"), 1)))
      yield* agent.run({ prompt: "go" })
    }).pipe(
      Effect.scoped,
      Effect.provide(script),
      traced,
      Effect.andThen(
        Effect.sync(() => {
          assert.deepStrictEqual(treeOf(spans), [
            "invoke_agent test",
            "  invoke_agent test",
            "    execute_tool Bash failed: tool_error [permission_request permission_decision]",
            "  invoke_agent test failed: aborted",
            "    execute_tool Bash failed: unfinished",
            "invoke_agent test",
            "  execute_tool Bash failed: tool_error [permission_request]"
          ])
          const decided = named("execute_tool Bash").events[1]?.[2]
          assert.deepStrictEqual(decided, {
            "reins.request.id": "r1",
            "reins.decision": "deny",
            "reins.decided_by": "caller",
            "reins.waited_ms": 90_000
          })
        })
      )
    )
  })
})

/** A session whose observer is called as the engine calls it. */
const observedSession = Effect.gen(function* () {
  const { spans, tracer } = makeSpans()
  const clock = yield* Clock.Clock
  const span = yield* Effect.withTracer(Effect.makeSpan("invoke_agent claude", { root: true }), tracer)
  const measured: Array<string> = []
  const metrics = makeMetrics(
    {
      record: (name, value, { "gen_ai.token.type": type = "", "reins.kind": kind = "" }) =>
        void measured.push([name, kind, type, value].filter((part) => part !== "").join(" ")),
      add: (name, value) => void measured.push(`${name} ${value > 0 ? "+" : ""}${value}`),
      set: (name, value, { "reins.budget": budget }) => void measured.push(`${name} ${budget} ${value}`)
    },
    new Set()
  )
  const telemetry = makeTelemetry({ cli: clis.claude, type: "session", options: {}, tracer, clock, span, metrics })
  const base = { cli: "claude", workingDirectory: "/w" }
  const start: SessionStart = { type: "session", id: "s", limits: {}, params: {}, ...base }
  const turn: TurnStart = { type: "turn", id: "u", prompt: "secret", session: start, ...base }
  const begin = (of: SessionStart | TurnStart) => {
    const observation = telemetry.observer.begin(of, (text) => text)
    return {
      events: (...events: ReadonlyArray<AgentEvent>) => observation?.events?.({ position: 0, atMs: 0, events }),
      end: (result: object) =>
        observation?.end?.({
          result: { ...resultOfNothing(new Error() as never), outcome: "completed", reason: "completed", ...result },
          failure: undefined,
          hadOutput: true
        })
    }
  }
  return { spans, telemetry, measured, session: begin(start), turn: () => begin(turn) }
})

const completed = { outcome: "completed", reason: "completed", text: "", durationMs: 2_000, aborted: false } as const
const ended = (facts: object) => ({
  result: { ...completed, sessionId: undefined, usage: undefined, ...facts },
  failure: undefined,
  hadOutput: true
})

describe("the observer of a session", () => {
  it.effect("has tools of turns below these, and those of turns that the CLI began below the session", () =>
    Effect.gen(function* () {
      const { spans, telemetry, session, turn } = yield* observedSession
      const mine = turn()
      // In one go the session's observation comes first, and the turn's own right behind it.
      session.events(toolUse("t1"), toolUse("t2", "t1"), toolResult("t2"))
      mine.events(toolUse("t1"), toolUse("t2", "t1"), toolResult("t2"))
      yield* Effect.promise(() => Promise.resolve())
      session.events(toolUse("own"))
      yield* Effect.promise(() => Promise.resolve())
      session.events(toolResult("t1"))
      mine.events(toolResult("t1"))
      mine.end({})
      session.events({ type: "notice", kind: "stalled", message: "for /home/me" }, toolUse("late"))
      telemetry.end(ended({}))
      assert.deepStrictEqual(treeOf(spans), [
        "invoke_agent claude [stalled]",
        "  invoke_agent claude",
        "    execute_tool Bash",
        "      execute_tool Bash",
        "  execute_tool Bash failed: unfinished",
        "  execute_tool Bash failed: unfinished"
      ])
    })
  )

  it.effect("measures turns, and of the session what they leave", () =>
    Effect.gen(function* () {
      const { measured, telemetry, turn } = yield* observedSession
      turn().end({
        usage: { inputTokens: 3, cacheReadTokens: 4, outputTokens: 2 },
        totalCostUsd: 0.5,
        durationMs: 3_000
      })
      telemetry.starting(1_500)
      telemetry.end(ended({ usage: { inputTokens: 5, cacheReadTokens: 4, outputTokens: 2 }, totalCostUsd: 0.75 }))
      assert.deepStrictEqual(measured, [
        "active +1",
        "sessionsBusy +1",
        "tokens turn input 7",
        "tokens turn output 2",
        "cost turn 0.5",
        "sessionsBusy -1",
        "runs +1",
        "agentDuration turn 3",
        "queueWait 1.5",
        "tokens session input 2",
        "cost session 0.25",
        "runs +1",
        "active -1"
      ])
    })
  )

  it.effect("ends open spans, and says that the end is missing", () =>
    Effect.gen(function* () {
      const { spans, telemetry, session, turn } = yield* observedSession
      turn()
      session.events(toolUse("t1"))
      telemetry.end(undefined)
      assert.deepStrictEqual(treeOf(spans), [
        "invoke_agent claude failed: defect",
        "  invoke_agent claude failed: defect",
        "  execute_tool Bash failed: unfinished"
      ])
    })
  )

  it.effect("has notices without their words, and budgets as a part that is used", () =>
    Effect.gen(function* () {
      const { spans, measured, telemetry, session } = yield* observedSession
      const data = { budget: "day", level: "warning", spent: 3, limit: 4, path: "/home/me", delayMs: Number.NaN }
      session.events({ type: "notice", kind: "budget", message: "of me", data })
      session.events({ type: "notice", kind: "info", message: "nothing" })
      telemetry.end(ended({}))
      const [, , facts] = spans[0]?.events[0] ?? []
      assert.deepStrictEqual(facts, { "reins.level": "warning", "reins.spent": 3, "reins.limit": 4 })
      assert.include(measured, "budgetUsed day 0.75")
    })
  )

  it.effect("forgets the oldest of calls that never end, and shows names of strangers short and harmless", () =>
    Effect.gen(function* () {
      const { spans, telemetry, session } = yield* observedSession
      const toolName = `\u001b[2J\u202e${"x".repeat(10_000)}`
      for (let i = 0; i < 2_100; i += 1) session.events({ type: "tool_use", toolName, toolId: `t${i}`, input: {} })
      yield* Effect.promise(() => Promise.resolve())
      assert.strictEqual(spans.filter(({ status }) => status._tag === "Ended").length, 100)
      telemetry.end(ended({}))
      assert.isTrue(spans.every(({ status, name }) => status._tag === "Ended" && /^[\x20-\x7e]{1,220}$/.test(name)))
    })
  )
})

it.effect("a tracer that throws costs its spans, and no run", () => {
  const tracer = Tracer.make({
    span: (options) => {
      const span = new Tracer.NativeSpan(options)
      const refuse = () => {
        throw new Error("no")
      }
      if (options.name.startsWith("execute_tool")) return refuse()
      return Object.assign(span, { attribute: refuse, event: refuse, end: refuse })
    }
  })
  return Effect.gen(function* () {
    const { run } = yield* AgentRuntime
    const exit = yield* Effect.exit(run({ prompt: "go" }))
    assert.isTrue(Exit.isSuccess(exit))
  }).pipe(Effect.provide(TestRuntime.layer([toolUse("t1"), { type: "text", text: "hi" }])), Effect.withTracer(tracer))
})
