/** Mistakes of callers: each is reported or ignored, and has no effect on later calls. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { Approvals } from "../../src/index.ts"
import { askers, content, ended, ids, open, script, traits, turnResult, typed } from "../kit/live.ts"

const question = { question: { id: "q", question: "Which?", options: ["red"] } }
const limit = "3 seconds"

describe.each(askers)("%s, which asks", (id) => {
  it.live("a handler without an answer (a forgotten `return`) denies, like one that fails", () =>
    Effect.gen(function* () {
      const { turn } = yield* open(id, { approvals: [Approvals.ask((() => undefined) as never)] })
      const events = yield* turn({ ask: { id: "a", command: "ls" } }, { await: 1 }).pipe(Effect.timeout(limit))
      assert.strictEqual(typed(events, "permission_decision")[0]?.decision, "deny")
    })
  )

  it.live("`decide` without an answer leaves the request open", () =>
    Effect.gen(function* () {
      const { session } = yield* open(id, { approvals: [Approvals.ask()] })
      const events = yield* session.turn(script({ ask: { id: "a", command: "ls" } }, { await: 1 })).pipe(
        Stream.tap((event) =>
          event.type !== "permission_request"
            ? Effect.void
            : Effect.gen(function* () {
                yield* Effect.exit(session.decide(event.requestId, undefined as never))
                assert.isTrue(yield* session.decide(event.requestId, { decision: "allow" }))
              })
        ),
        Stream.runCollect,
        Effect.timeout(limit)
      )
      assert.strictEqual(typed(events, "permission_decision")[0]?.decision, "allow")
    })
  )

  it.live("the decision is emitted before the agent's reaction", () =>
    Effect.gen(function* () {
      const { turn } = yield* open(id, { approvals: [Approvals.deny()] })
      const events = yield* turn({ ask: { id: "a", command: "ls" } }, { await: 1 })
      const order = events.map(({ type }) => type).filter((type) => /tool_result|permission/.test(type))
      assert.deepStrictEqual(order.slice(0, 3), ["permission_request", "permission_decision", "tool_result"])
    })
  )
})

describe.each(ids)("%s", (id) => {
  it.live("a turn that is not a text fails, and the next one runs", () =>
    Effect.gen(function* () {
      const { session, turn } = yield* open(id)
      yield* Effect.exit(Stream.runDrain(session.turn(undefined as never))).pipe(Effect.timeout(limit))
      const next = yield* turn({ say: "next" }).pipe(Effect.timeout(limit))
      assert.deepStrictEqual(content(next), ["next"])
    })
  )

  it.live("a text for a session whose process has died fails with the reason", () =>
    Effect.gen(function* () {
      const { session, turn, log } = yield* open(id)
      assert.strictEqual(turnResult(yield* turn({ exit: 4 })).reason, "exited")
      yield* ended(log)
      const error = yield* Effect.flip(session.send("x"))
      assert.strictEqual(error.reason._tag, "Exited")
    })
  )

  it.live("an unknown permission mode is refused by name", () =>
    Effect.gen(function* () {
      const { session } = yield* open(id)
      const error = yield* Effect.flip(session.setPermissionMode("yolo" as never))
      assert.strictEqual(error.reason._tag, "InvalidParams")
    })
  )

  it.live.runIf(traits(id).asksQuestions)("an answer of the wrong form counts as no answer", () =>
    Effect.gen(function* () {
      const handler = (() => ({ "Which?": "red" })) as never
      const { turn } = yield* open(id, { questions: { handler } })
      const events = yield* turn(question, { await: 1 }).pipe(Effect.timeout(limit))
      assert.lengthOf(typed(events, "question_answer"), 1)
    })
  )
})
