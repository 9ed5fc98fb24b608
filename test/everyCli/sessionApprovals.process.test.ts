/** Requests of an agent and their answers, for every CLI value that asks: one answer each, and the peer reports which one it got. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import type { AgentEvent } from "../../src/contract/AgentEvent.ts"
import { Approvals } from "../../src/index.ts"
import { kindsOf } from "../kit/events.ts"
import {
  askers,
  assertWhole,
  content,
  ended,
  open,
  requested,
  script,
  traits,
  turnResult,
  turnsDone,
  typed
} from "../kit/live.ts"
import { until } from "../kit/processes.ts"

const asking = { approvals: [Approvals.ask()] }
const ask = (name: string) => ({ ask: { id: name, command: `run ${name}` } })

/** A CLI whose denials have no reason may get it as a text beside the answer. */
const answers = (events: ReadonlyArray<AgentEvent>) => content(events).filter((line) => !line.startsWith("steered: "))

describe.each(askers)("%s", (id) => {
  const { takesInput, toldWhy } = traits(id)
  const denied = (name: string, why: string) => (toldWhy ? `${name}=deny:${why}` : `${name}=deny`)

  it.live("gets an approval", () =>
    Effect.gen(function* () {
      const { turn, log, close } = yield* open(id, { approvals: [Approvals.allow({ commands: ["run *"] })] })
      const events = yield* turn(ask("a"), { await: 1 }, { tell: true })
      assert.deepStrictEqual(content(events), ["a=allow"])
      assert.deepInclude(typed(events, "permission_request")[0], {
        kind: "command",
        command: "run a"
      })
      assert.deepInclude(typed(events, "permission_decision")[0], { decision: "allow", by: "rule" })
      yield* close
      yield* ended(log)
      assertWhole(log.events)
    })
  )

  it.live("gets a denial, with its reason if the CLI supports that", () =>
    Effect.gen(function* () {
      const approvals = [Approvals.ask(() => ({ decision: "deny", message: "not today" }))]
      const { turn } = yield* open(id, { approvals })
      const events = yield* turn(ask("a"), { await: 1 }, { tell: true })
      assert.deepStrictEqual(answers(events), [denied("a", "not today")])
      assert.deepInclude(typed(events, "permission_decision")[0], {
        decision: "deny",
        by: "handler",
        message: "not today"
      })
      assert.strictEqual(turnResult(events).outcome, "completed")
    })
  )

  it.live("is denied everything without rules", () =>
    Effect.gen(function* () {
      const { turn } = yield* open(id)
      const events = yield* turn(ask("a"), { await: 1 }, { tell: true })
      assert.match(answers(events).join(), /^a=deny[^,]*$/)
      assert.deepInclude(typed(events, "permission_decision")[0], { decision: "deny", by: "rule" })
    })
  )

  it.live("calls the tool with another input, or not at all", () =>
    Effect.gen(function* () {
      const approvals = [Approvals.ask(() => ({ decision: "allow", input: { command: "other" } }))]
      const { turn } = yield* open(id, { approvals })
      const events = yield* turn(ask("a"), { await: 1 }, { tell: true })
      const [decision] = typed(events, "permission_decision")
      if (takesInput) {
        assert.deepStrictEqual(content(events), ['a=allow+{"command":"other"}'])
        assert.deepInclude(decision, { decision: "allow", input: { command: "other" } })
        return
      }
      assert.deepStrictEqual(answers(events), ["a=deny"])
      assert.strictEqual(decision?.decision, "deny")
      assert.include(kindsOf(events), "warning")
    })
  )

  it.live("asks for two things at once, is answered in another order, and each answer reaches its request", () =>
    Effect.gen(function* () {
      const { session, begin, log } = yield* open(id, asking)
      yield* begin(ask("a"), ask("b"), { await: 2 }, { tell: true })
      const [a, b] = [yield* requested(log, "run a"), yield* requested(log, "run b")]
      assert.notStrictEqual(a.requestId, b.requestId)
      assert.isTrue(yield* session.decide(b.requestId, { decision: "deny", message: "no" }))
      assert.isTrue(yield* session.decide(a.requestId, { decision: "allow" }))
      yield* turnsDone(log, 1)
      assert.deepStrictEqual(answers(log.events), [denied("b", "no"), "a=allow"])
    })
  )

  it.live("gets one answer, also if it is given twice or late", () =>
    Effect.gen(function* () {
      const { session, begin, turn, log } = yield* open(id, asking)
      yield* begin(ask("a"), { await: 1 }, { tell: true })
      const { requestId } = yield* requested(log, "run a")
      assert.isTrue(yield* session.decide(requestId, { decision: "allow" }))
      assert.isFalse(yield* session.decide(requestId, { decision: "deny" }))
      yield* turnsDone(log, 1)
      assert.isFalse(yield* session.decide(requestId, { decision: "deny" }))
      for (const unknown of ["no such request", requestId.slice(1)]) {
        const refused = yield* Effect.flip(session.decide(unknown, { decision: "allow" }))
        assert.deepInclude(refused.reason, { _tag: "InvalidParams", option: "requestId" })
      }
      assert.deepStrictEqual(content(log.events), ["a=allow"])
      assert.deepStrictEqual(content(yield* turn({ say: "-" }, { tell: true })), ["-"])
    })
  )

  it.live("remembers answered requests after 201 of them", () =>
    Effect.gen(function* () {
      const { session, begin, turn, log } = yield* open(id, asking)
      const names = Array.from({ length: 201 }, (_, index) => `n${index}`)
      yield* begin(...names.map(ask), { await: names.length }, { tell: true })
      yield* requested(log, "run n200")
      const requests = typed(log.events, "permission_request").map(({ requestId }) => requestId)
      assert.strictEqual(new Set(requests).size, names.length)
      for (const requestId of requests) assert.isTrue(yield* session.decide(requestId, { decision: "allow" }))
      for (const requestId of requests) assert.isFalse(yield* session.decide(requestId, { decision: "deny" }))
      yield* turnsDone(log, 1)
      assert.deepStrictEqual(
        content(log.events),
        names.map((name) => `${name}=allow`)
      )
      assert.deepStrictEqual(content(yield* turn({ say: "-" }, { tell: true })), ["-"])
    })
  )

  it.live("is answered even if no consumer reads the events", () =>
    Effect.gen(function* () {
      const { session, alive } = yield* open(id, { approvals: [Approvals.allow()] }, {}, { isHeard: false })
      const names = Array.from({ length: 20 }, (_, index) => `n${index}`)
      // Each request comes after the answer to the one before.
      const steps = names.flatMap((name, index) => [ask(name), { await: index + 1 }])
      assert.strictEqual(yield* session.send(script(...steps, { tell: true }, { exit: 0 })), "started")
      yield* until(() => alive().length === 0)
      const events = yield* Stream.runCollect(session.events)
      assert.deepStrictEqual(
        content(events),
        names.map((name) => `${name}=allow`)
      )
      assertWhole(events)
    })
  )

  it.live("may ask before it announces the tool: the call is still emitted first", () =>
    Effect.gen(function* () {
      const { turn } = yield* open(id, { approvals: [Approvals.allow()] })
      const events = yield* turn({ ask: { id: "a", command: "run a", before: true } }, { await: 1 }, { tell: true })
      assert.deepStrictEqual(content(events), ["a=allow"])
      const tools = typed(events, "tool_use")
      const [request] = typed(events, "permission_request")
      assert.deepStrictEqual(
        tools.map(({ toolId }) => toolId),
        [request?.toolId],
        "told once"
      )
      const types = events.map(({ type }) => type)
      assert.isBelow(types.indexOf("tool_use"), types.indexOf("permission_request"))
    })
  )

  it.live("asks for a change of a file with its path, and a preview where a person is asked", () =>
    Effect.gen(function* () {
      const { session, begin, log } = yield* open(id, asking)
      const path = `${process.cwd()}/new.txt`
      yield* begin({ ask: { id: "w", path, content: "alpha\n" } }, { await: 1 }, { tell: true })
      yield* log.until((events) => typed(events, "permission_request").length > 0)
      const [request] = typed(log.events, "permission_request")
      assert.deepInclude(request, { kind: "file_change", paths: [path] })
      assert.include(request?.preview, "alpha")
      yield* session.decide(request?.requestId ?? "", { decision: "allow" })
      yield* turnsDone(log, 1)
      assert.deepStrictEqual(content(log.events), ["w=allow"])
    })
  )

  it.live("shares nothing with another session: each answer goes to its own process", () =>
    Effect.gen(function* () {
      const sessions = [yield* open(id, asking), yield* open(id, asking)] as const
      for (const { begin } of sessions) yield* begin(ask("a"), { await: 1 }, { tell: true })
      const [one, two] = sessions
      const requests = [yield* requested(one.log, "run a"), yield* requested(two.log, "run a")] as const
      assert.isTrue(yield* two.session.decide(requests[1].requestId, { decision: "deny", message: "two" }))
      assert.isTrue(yield* one.session.decide(requests[0].requestId, { decision: "allow" }))
      yield* Effect.all(sessions.map(({ log }) => turnsDone(log, 1)))
      assert.deepStrictEqual(content(one.log.events), ["a=allow"])
      assert.deepStrictEqual(answers(two.log.events), [denied("a", "two")])
    })
  )
})

describe("claude", () => {
  it.live("asks again with its plan once it has written the outline, also in a later turn", () =>
    Effect.gen(function* () {
      const approvals = [Approvals.plan(async () => ({ decision: "outline" }), { outlineLength: 100 })]
      const { turn } = yield* open("claude", { approvals })
      const plan = (id: string) => turn({ ask: { id, plan: "Look." } }, { await: 1 }, { tell: true })
      const decidedBy = (events: ReadonlyArray<AgentEvent>) => typed(events, "permission_decision").map(({ by }) => by)
      assert.deepStrictEqual(decidedBy(yield* plan("a")), ["handler"])
      assert.deepStrictEqual(decidedBy(yield* plan("b")), ["rule"])
      yield* turn({ say: "x ".repeat(100) })
      assert.deepStrictEqual(decidedBy(yield* plan("c")), ["handler"])
    })
  )
})
