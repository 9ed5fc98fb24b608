/**
 * For every CLI value, a run and a live session stay in the requested session, or in the one that they began: if the CLI
 * changes to another one, the run fails, the id of the caller's session stays, and the process is ended.
 */
import { readFileSync } from "node:fs"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Stream } from "effect"
import { AgentRuntime } from "../../src/agents/AgentRuntime.ts"
import { type CliId, clis } from "../../src/agents/Agents.ts"
import type { AgentEvent } from "../../src/contract/AgentEvent.ts"
import type { AgentExecuteParams } from "../../src/contract/AgentExecuteParams.ts"
import { Acp } from "../../src/index.ts"
import { FakeCli, Step } from "../../src/testing.ts"
import { InstalledFake } from "../../src/testingEffect.ts"
import { plainSuccessOf, recordingPath } from "../cli/fixtures.ts"
import { killGrace } from "../kit/agent.ts"
import { errorOf, resultOf, textOf } from "../kit/events.ts"
import { ended, ids, open, peer, turnResult, typed } from "../kit/live.ts"
import { assertAllDead, processesWith, until } from "../kit/processes.ts"

const other = "c4a7d2e8-91b3-4f60-a5d8-6e0f1c9b7a35"
const third = "5b8c1f94-2e6d-4a37-8c05-d19e7b3a6f42"

/** Recorded lines of the CLI, and the id of the session in them. */
const recorded = (id: CliId) => {
  const success = plainSuccessOf(clis[id])
  const lines = readFileSync(recordingPath(clis[id], success), "utf8").split("\n").slice(0, -1)
  const { sessionId = assert.fail("it has a name"), text = "" } = success.expectation.result
  const [first = assert.fail("it has lines"), ...rest] = lines
  const foreign = lines.map((line) => line.replaceAll(sessionId, other))
  return { sessionId, text, lines, first, rest, foreign }
}

/** A run of a process that prints these lines, and then stays until it is ended. */
const run = Effect.fnUntraced(function* (
  id: CliId,
  lines: ReadonlyArray<string>,
  params: Partial<AgentExecuteParams> = {},
  end = Step.hang({ deaf: true })
) {
  const { command, calls } = yield* InstalledFake.make(FakeCli[id]([...lines.map((line) => Step.line(line)), end]))
  const agent = AgentRuntime.layer(clis[id], { killGrace, command }).pipe(Layer.provide(NodeServices.layer))
  const events = yield* AgentRuntime.use(({ execute }) =>
    Stream.runCollect(execute({ prompt: "hello", timeouts: { linger: "1 hour" }, ...params }))
  ).pipe(Effect.provide(agent))
  assertAllDead(calls().map(({ pid }) => pid))
  return events
})

const sessionsOf = (events: ReadonlyArray<AgentEvent>) => typed(events, "session").map(({ sessionId }) => sessionId)

const assertChanged = (events: ReadonlyArray<AgentEvent>, requested: string, got = other) => {
  const failure = { code: "session_changed", category: "protocol", retryable: false } as const
  assert.deepInclude(errorOf(events), failure)
  assert.include(errorOf(events).message, `"${requested}"`)
  assert.include(errorOf(events).message, `"${got}"`)
  assert.deepInclude(resultOf(events), { outcome: "failed", reason: "session_changed", sessionId: requested })
  assert.notInclude(sessionsOf(events), got)
}

describe.each(ids)("a run of %s", (id) => {
  const { sessionId, text, lines, first, rest, foreign } = recorded(id)

  it.live("that resumes continues in that session", () =>
    Effect.gen(function* () {
      const events = yield* run(id, lines, { sessionId }, Step.exit(0))
      assert.deepInclude(resultOf(events), { outcome: "completed", sessionId, text })
    })
  )

  it.live("is ended without its events if the CLI answers with another session", () =>
    Effect.gen(function* () {
      const events = yield* run(id, foreign, { sessionId })
      assertChanged(events, sessionId)
      assert.deepStrictEqual([textOf(events), typed(events, "tool_use").length], ["", 0])
    })
  )

  it.live("cannot change to another session while it runs", () =>
    Effect.gen(function* () {
      const events = yield* run(id, [first, ...foreign])
      assertChanged(events, sessionId)
      assert.deepStrictEqual([sessionsOf(events), textOf(events)], [[sessionId], ""])
    })
  )

  it.live("accepts the same session reported twice", () =>
    Effect.gen(function* () {
      const events = yield* run(id, [first, first, ...rest], {}, Step.exit(0))
      assert.deepInclude(resultOf(events), { outcome: "completed", reason: "completed", sessionId, text })
      assert.deepStrictEqual(sessionsOf(events), [sessionId])
    })
  )

  it.live.skipIf(!clis[id].supports.has("forkSession"))("that forks a session has another id", () =>
    Effect.gen(function* () {
      const events = yield* run(id, lines, { sessionId: third, forkSession: true }, Step.exit(0))
      assert.deepInclude(resultOf(events), { outcome: "completed", sessionId, text })
    })
  )

  it.live.skipIf(!clis[id].supports.has("newSessionId"))("begins the session that the caller named", () =>
    Effect.gen(function* () {
      assertChanged(yield* run(id, foreign, { newSessionId: third }), third)
    })
  )
})

describe.each(ids)("a live session of %s", (id) => {
  /** The form of the id for the peer. */
  const requested = id === "opencode" ? "ses_5b8c1f942e6d4a378c05d19e7b" : third

  it.live("is refused if the CLI answers with another session", () =>
    Effect.gen(function* () {
      const env = { PEER_SESSION: other }
      const failure = { _tag: "SessionChanged", asked: requested, got: other, code: "session_changed" } as const
      if (id !== "claude") {
        const error = yield* Effect.flip(open(id, { sessionId: requested, env }))
        assert.deepInclude(error.reason, failure)
        assert.deepInclude(error.result, { outcome: "failed", reason: "session_changed", sessionId: requested })
        return
      }
      // Its first line comes with its first turn.
      const { session, log, alive } = yield* open(id, { sessionId: requested, env })
      const events = yield* Stream.runCollect(session.turn('[{"tool":{"id":"t","command":"x"}}]'))
      assert.deepInclude(turnResult(events), { outcome: "failed", reason: "session_changed", sessionId: requested })
      assert.deepStrictEqual(typed(events, "tool_use"), [])
      yield* ended(log)
      assertChanged(
        log.events.filter(({ type }) => type !== "turn_done"),
        requested
      )
      assert.deepInclude((yield* Effect.flip(session.send("more"))).reason, failure)
      assert.notStrictEqual(session.sessionId, other)
      yield* until(() => alive().length === 0)
    })
  )

  it.live("continues in the requested session", () =>
    Effect.gen(function* () {
      const { session, turn } = yield* open(id, { sessionId: requested })
      const events = yield* turn({ say: "hi" })
      assert.deepInclude(turnResult(events), { outcome: "completed", sessionId: requested })
      assert.strictEqual(session.sessionId, requested)
    })
  )
})

describe("a live session", () => {
  it.live("cannot change to another session between two turns", () =>
    Effect.gen(function* () {
      const { session, log, turn } = yield* open("claude", { sessionId: third, env: { PEER_NEXT_SESSION: other } })
      assert.deepInclude(turnResult(yield* turn({ say: "hi" })), { outcome: "completed", sessionId: third })
      const events = yield* turn({ tool: { id: "t", command: "x" } })
      assert.deepInclude(turnResult(events), { reason: "session_changed", sessionId: third })
      assert.deepStrictEqual(typed(events, "tool_use"), [])
      yield* ended(log)
      assert.strictEqual(session.sessionId, third)
      assert.deepStrictEqual(sessionsOf(log.events), [third])
    })
  )

  it.live("with another id from an agent of the protocol fails a run of it, too", () =>
    Effect.gen(function* () {
      const mark = crypto.randomUUID()
      const agent = Acp.layer({ ...peer("gemini"), id: "mine", killGrace }).pipe(Layer.provide(NodeServices.layer))
      const params = { prompt: "[]", sessionId: third, env: { PEER_SESSION: other, PEER_MARK: mark } }
      const { reason, result } = yield* AgentRuntime.use(({ run }) => Effect.flip(run(params))).pipe(
        Effect.provide(agent)
      )
      assert.deepInclude(reason, { _tag: "SessionChanged", asked: third, got: other })
      assert.strictEqual(result.sessionId, third)
      assert.deepStrictEqual(processesWith(mark), [])
    })
  )
})
