/** Ends of a live session, for every CLI value and in each state: `done` is emitted once, and no process survives. */

import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Layer, Scope, Stream } from "effect"
import { clis } from "../../src/agents/Agents.ts"
import type { AgentRunResult } from "../../src/contract/AgentRunResult.ts"
import { AgentRuntime, Approvals } from "../../src/index.ts"
import { killGrace } from "../kit/agent.ts"
import {
  agentOver,
  askers,
  assertWhole,
  content,
  ended,
  ids,
  type Opened,
  open,
  type PeerStep,
  peer,
  requested,
  script,
  traits,
  turnResult,
  typed
} from "../kit/live.ts"
import { assertAllDead, isAlive } from "../kit/processes.ts"

interface State {
  readonly steps: ReadonlyArray<PeerStep>
  /** The type of the event that indicates it. */
  readonly sign: string
  readonly isResting?: true
}

/** In each of them a child of the CLI runs in a process session of its own. */
const allStates: ReadonlyArray<readonly [string, State]> = [
  ["rests", { steps: [{ spawn: true }], sign: "turn_done", isResting: true }],
  ["is in mid-text", { steps: [{ spawn: true }, { begin: "half" }, { hang: true }], sign: "text" }],
  [
    "is in mid-tool",
    { steps: [{ spawn: true }, { tool: { id: "t", command: "x", open: true } }, { hang: true }], sign: "tool_use" }
  ],
  [
    "asks",
    { steps: [{ spawn: true }, { ask: { id: "a", command: "run a" } }, { hang: true }], sign: "permission_request" }
  ],
  ["heeds nothing", { steps: [{ spawn: true }, { ignoreSignals: true }, { silent: true }], sign: "text" }]
]

const bring = Effect.fnUntraced(function* ({ begin, log, alive }: Opened, { steps, sign }: State) {
  yield* begin(...steps)
  yield* log.until(
    (events) => content(events).some((line) => line.startsWith("pid ")) && events.some(({ type }) => type === sign)
  )
  const pids = alive()
  assert.isAtLeast(pids.length, 2, "the CLI and its child")
  return pids
})

const isAborted = ({ outcome, aborted }: AgentRunResult) => outcome === "aborted" && aborted

const assertOver = Effect.fnUntraced(function* ({ log }: Opened, pids: ReadonlyArray<number>, isResting = false) {
  yield* ended(log)
  assertAllDead(pids)
  assertWhole(log.events)
  const [turn, ...others] = typed(log.events, "turn_done")
  assert.deepStrictEqual(others, [])
  assert.strictEqual(turn?.result.outcome, isResting ? "completed" : "aborted")
  for (const { decision } of typed(log.events, "permission_decision")) assert.strictEqual(decision, "withdrawn")
})

describe.each(ids)("%s", (id) => {
  const states = traits(id).asksPermission ? allStates : allStates.filter(([name]) => name !== "asks")
  const opened = open(id, { approvals: [Approvals.ask()] })

  it.live.each(states)("ends with its scope while it %s", ([_, state]) =>
    Effect.gen(function* () {
      const session = yield* opened
      const pids = yield* bring(session, state)
      yield* session.close
      assert.deepStrictEqual(pids.filter(isAlive), [], "gone when it returns")
      yield* assertOver(session, pids, state.isResting)
      assert.strictEqual(
        typed(session.log.events, "done").every(({ result }) => isAborted(result)),
        state.isResting !== true
      )
    })
  )

  it.live("emits its end at once, and its events end when nothing of it is left", () =>
    Effect.gen(function* () {
      const controller = new AbortController()
      const session = yield* open(id, { abortSignal: controller.signal })
      const events = yield* Effect.forkChild(Stream.runCollect(session.session.events), { startImmediately: true })
      const pids = yield* bring(session, {
        steps: [{ spawn: true }, { ignoreSignals: true }, { hang: true }],
        sign: "text"
      })
      controller.abort()
      const types = (yield* Fiber.join(events)).map(({ type }) => type)
      assert.deepStrictEqual(pids.filter(isAlive), [])
      assert.deepStrictEqual(types.slice(-2), ["turn_done", "done"])
    })
  )

  it.live.each(states)("ends by its abort signal while it %s", ([_, state]) =>
    Effect.gen(function* () {
      const controller = new AbortController()
      const session = yield* open(id, { approvals: [Approvals.ask()], abortSignal: controller.signal })
      const pids = yield* bring(session, state)
      controller.abort()
      yield* ended(session.log)
      // The abort is reported at once; only the scope waits.
      yield* session.close
      yield* assertOver(session, pids, state.isResting)
      assert.isTrue(typed(session.log.events, "done").every(({ result }) => isAborted(result)))
    })
  )

  it.live("exits by itself: later calls are refused", () =>
    Effect.gen(function* () {
      const { session, log, turn } = yield* opened
      const events = yield* turn({ stderr: "the last words\n" }, { exit: 4 })
      assert.deepInclude(turnResult(events), { outcome: "failed", reason: "exited" })
      yield* ended(log)
      assert.deepInclude(typed(log.events, "done")[0]?.result, { reason: "exited", stderrTail: "the last words" })
      assert.strictEqual(turnResult(yield* turn({ say: "?" })).outcome, "failed")
      assert.isFalse(yield* session.interrupt)
      const refused = [session.send("?"), session.setModel("?"), session.setPermissionMode("plan")]
      for (const wish of refused) assert.strictEqual((yield* Effect.flip(wish)).cli, id)
      assert.isFalse(yield* session.decide("?", { decision: "allow" }))
      assert.deepStrictEqual(
        (yield* Stream.runCollect(session.events)).map(({ type }) => type),
        ["done"]
      )
    })
  )

  it.live("ends with its waiting turns: each has its end", () =>
    Effect.gen(function* () {
      const { session, log, begin, close } = yield* opened
      yield* begin({ say: "a" }, { hang: true })
      yield* log.until((events) => content(events).join() === "a")
      const waiting = yield* Effect.forkChild(Stream.runCollect(session.turn(script({ say: "b" }))), {
        startImmediately: true
      })
      yield* close
      assert.isTrue(isAborted(turnResult(yield* Fiber.join(waiting))))
      yield* ended(log)
      assert.strictEqual(
        typed(log.events, "turn_done").length,
        1,
        "the turn that never began is not one of the session"
      )
    })
  )

  it.live("ends with its layer", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const layer = AgentRuntime.layer(clis[id], { killGrace, ...peer(id) }).pipe(Layer.provide(NodeServices.layer))
      const context = yield* Layer.buildWithScope(layer, scope)
      const session = yield* Effect.provideContext(
        AgentRuntime.use((agent) => agent.open()),
        context
      )
      const events = yield* Stream.runCollect(session.turn(script({ pid: true })))
      const pid = Number(content(events)[0]?.split(" ")[1])
      assert.isTrue(isAlive(pid))
      yield* Scope.close(scope, Exit.void)
      assertAllDead([pid])
      assert.strictEqual((yield* Stream.runCollect(session.events)).at(-1)?.type, "done")
    })
  )
})

describe.each(askers)("%s", (id) => {
  it.live("dies while it asks: the request is withdrawn, the turn has failed, and messages hide the prompt", () =>
    Effect.gen(function* () {
      const session = yield* open(id, { approvals: [Approvals.ask()] })
      const { log, begin } = session
      yield* begin({ ask: { id: "a", command: "run a" } }, { signal: "SIGKILL" })
      const { requestId } = yield* requested(log, "run a")
      yield* ended(log)
      assert.isFalse(yield* session.session.decide(requestId, { decision: "allow" }))
      assert.deepInclude(typed(log.events, "permission_decision")[0], { decision: "withdrawn", by: "end" })
      assert.deepInclude(typed(log.events, "turn_done")[0]?.result, { outcome: "failed", reason: "killed" })
      assert.deepInclude(typed(log.events, "done")[0]?.result, { outcome: "failed", reason: "killed" })
      assertWhole(log.events)
    })
  )

  it.live("is ended by the handler that it asks", () =>
    Effect.gen(function* () {
      const agent = yield* agentOver(id)
      const scope = yield* Scope.make()
      const close = Scope.close(scope, Exit.void)
      const approvals = [Approvals.ask(() => Effect.as(close, { decision: "allow" } as const))]
      const session = yield* Scope.provide(agent.open({ approvals }), scope)
      const asking = script({ ask: { id: "a", command: "run a" } }, { await: 1 })
      const events = yield* Stream.runCollect(session.turn(asking))
      assert.strictEqual(turnResult(events).outcome, "aborted")
      assertWhole(yield* Stream.runCollect(session.events))
    })
  )
})
