/** Interrupts, steering and the queue of a live session, for every CLI value; the process lives on through all of it. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { type AgentEvent, Approvals } from "../../src/index.ts"
import { content, ids, open, type PeerStep, script, traits, turnResult, turnsDone, typed } from "../kit/live.ts"

const aborted = { outcome: "aborted", reason: "aborted", aborted: true } as const

const allStates: ReadonlyArray<readonly [string, ReadonlyArray<PeerStep>, string]> = [
  ["in mid-text", [{ begin: "half a sen" }, { hang: true }], "text"],
  ["in mid-tool", [{ tool: { id: "t", command: "sleep", open: true } }, { hang: true }], "tool_use"],
  ["while it asks", [{ ask: { id: "a", command: "run a" } }, { hang: true }], "permission_request"]
]

describe.each(ids)("%s", (id) => {
  const { asksPermission, changes, joinsLateTexts, steers } = traits(id)
  const states = allStates.filter(([, , sign]) => asksPermission || sign !== "permission_request")

  it.live.each(states)("is interrupted %s, and takes the next turn", ([_, steps, sign]) =>
    Effect.gen(function* () {
      const { session, log, begin, turn, alive } = yield* open(id, { approvals: [Approvals.ask()] })
      yield* begin(...steps)
      yield* log.until((events) => events.some(({ type }) => type === sign))
      const before = alive()
      assert.isTrue(yield* session.interrupt)
      assert.isFalse(yield* session.interrupt, "it returns when the turn is over")
      yield* turnsDone(log, 1)
      assert.deepInclude(typed(log.events, "turn_done")[0]?.result, aborted)
      assert.deepStrictEqual(
        typed(log.events, "permission_decision").map(({ decision }) => decision),
        sign === "permission_request" ? ["withdrawn"] : []
      )
      for (const { requestId } of typed(log.events, "permission_request")) {
        assert.isFalse(yield* session.decide(requestId, { decision: "allow" }))
      }
      const next = yield* turn({ say: "next" }, { tell: true })
      assert.deepInclude(turnResult(next), { outcome: "completed" })
      const [first, ...late] = content(next)
      assert.strictEqual(first, "next")
      // One answer at most: that the request is withdrawn.
      assert.match(late.join(), /^(a=(cancelled|cancel|deny[^,]*))?$/)
      assert.deepStrictEqual(alive(), before)
    })
  )

  it.live("is interrupted before its turn has begun", () =>
    Effect.gen(function* () {
      const { session, log, turn } = yield* open(id)
      assert.isFalse(yield* session.interrupt)
      assert.strictEqual(yield* session.send(script({ hang: true })), "started")
      assert.isTrue(yield* session.interrupt)
      assert.isFalse(yield* session.interrupt, "it returns when the turn is over")
      yield* turnsDone(log, 1)
      assert.deepInclude(typed(log.events, "turn_done")[0]?.result, aborted)
      assert.deepStrictEqual(content(yield* turn({ say: "next" })), ["next"])
    })
  )

  it.live("is interrupted when the stream of its turn is left", () =>
    Effect.gen(function* () {
      const { session, log, turn } = yield* open(id)
      const left = session.turn(script({ say: "a" }, { hang: true })).pipe(Stream.filter(({ type }) => type === "text"))
      assert.deepStrictEqual(content(yield* Stream.runCollect(Stream.take(left, 1))), ["a"])
      yield* turnsDone(log, 1)
      assert.deepInclude(typed(log.events, "turn_done")[0]?.result, aborted)
      assert.deepStrictEqual(content(yield* turn({ say: "next" })), ["next"])
    })
  )

  it.live("is ended if it ignores the interrupt of a turn that was left", () =>
    Effect.gen(function* () {
      const { session, log, turn } = yield* open(id)
      const left = session
        .turn(script({ say: "a" }, { silent: true }))
        .pipe(Stream.filter(({ type }) => type === "text"))
      yield* Stream.runDrain(Stream.take(left, 1))
      assert.deepInclude(turnResult(yield* turn({ say: "never" })), aborted)
      yield* log.until((events) => events.at(-1)?.type === "done")
      assert.deepInclude(typed(log.events, "done")[0]?.result, aborted)
    })
  )

  it.live("drops only the turn that is left while it waits", () =>
    Effect.gen(function* () {
      const { session, log, begin, turn } = yield* open(id)
      yield* begin({ say: "a" }, { hang: true })
      yield* log.until((events) => content(events).join() === "a")
      const waiting = yield* Effect.forkChild(Stream.runDrain(session.turn(script({ say: "never" }))), {
        startImmediately: true
      })
      waiting.interruptUnsafe()
      yield* session.interrupt
      assert.deepStrictEqual(content(yield* turn({ say: "b" })), ["b"])
      yield* turnsDone(log, 2)
      assert.deepStrictEqual(content(log.events), ["a", "b"])
    })
  )

  it.live("is only steered: `steer` starts no turn", () =>
    Effect.gen(function* () {
      const { session, log, begin } = yield* open(id)
      assert.isFalse(yield* session.steer("early"))
      yield* begin(
        { say: "a" },
        { tool: { id: "t", command: "sleep", open: true } },
        steers ? { steered: 1 } : { hang: true }
      )
      yield* log.until((events) => events.some(({ type }) => type === "tool_use"))
      assert.strictEqual(yield* session.steer("b"), steers)
      if (!steers) yield* session.interrupt
      yield* turnsDone(log, 1)
      yield* session.idle
      assert.deepStrictEqual(content(log.events), steers ? ["a", "steered: b"] : ["a"])
      assert.strictEqual((yield* Effect.flip(session.steer(""))).reason._tag, "InvalidParams")
    })
  )

  it.live("takes a text in the middle of a turn, or starts a turn with it", () =>
    Effect.gen(function* () {
      const { session, log, begin } = yield* open(id)
      yield* begin(
        { say: "a" },
        { tool: { id: "t", command: "sleep", open: true } },
        steers ? { steered: 1 } : { hang: true }
      )
      yield* log.until((events) => events.some(({ type }) => type === "tool_use"))
      assert.strictEqual(yield* session.send("b"), steers ? "steered" : "queued")
      if (!steers) yield* session.interrupt
      yield* turnsDone(log, steers ? 1 : 2)
      assert.deepStrictEqual(content(log.events), ["a", steers ? "steered: b" : "b"])
      assert.strictEqual(typed(log.events, "turn_done").length, steers ? 1 : 2)
    })
  )

  it.live(
    "begins a turn with a text where none is under way; the text behind it is a turn of its own or part of it",
    () =>
      Effect.gen(function* () {
        const { session, log } = yield* open(id)
        assert.strictEqual(yield* session.send("a"), "started")
        const delivery = yield* session.send("b")
        assert.include(["steered", "queued"], delivery)
        // A text can come too late for the running turn.
        const isTaken = (events: ReadonlyArray<AgentEvent>) =>
          (delivery === "queued" ? ["ab"] : ["asteered: b", "ab"]).includes(content(events).join(""))
        yield* log.until(isTaken)
        yield* session.idle
        const isLate = content(log.events).join("") === "ab"
        const count = isLate && (delivery === "queued" || !joinsLateTexts) ? 2 : 1
        yield* turnsDone(log, count)
        assert.lengthOf(typed(log.events, "turn_done"), count)
      })
  )

  it.live.runIf(changes)("changes model and mode, in a turn and between turns", () =>
    Effect.gen(function* () {
      const { session, log, begin, turn } = yield* open(id)
      yield* session.setModel(id === "opencode" ? "fake/m2" : "another")
      yield* session.setPermissionMode("plan")
      assert.deepStrictEqual(content(yield* turn({ say: "a" })), ["a"])
      yield* begin({ say: "b" }, { hang: true })
      yield* log.until((events) => content(events).join() === "a,b")
      yield* session.setPermissionMode("default")
      yield* session.interrupt
      assert.deepStrictEqual(content(yield* turn({ say: "c" })), ["c"])
    })
  )

  it.live.runIf(!changes)("refuses to change model and mode, with the reason, and goes on as it was", () =>
    Effect.gen(function* () {
      const { session, log, begin, turn } = yield* open(id, { permissionMode: "plan" })
      const refusals = Effect.gen(function* () {
        const model = yield* Effect.flip(session.setModel("another"))
        assert.deepInclude(model.reason, { _tag: "AgentFailed" })
        assert.include(model.message, "open a session with this model")
        const mode = yield* Effect.flip(session.setPermissionMode("bypass"))
        assert.include(mode.message, "open a session with this mode")
      })
      yield* refusals
      yield* begin({ say: "a" }, { hang: true })
      yield* log.until((events) => content(events).join() === "a")
      yield* refusals
      yield* session.interrupt
      assert.deepStrictEqual(content(yield* turn({ say: "b" })), ["b"])
    })
  )
})
