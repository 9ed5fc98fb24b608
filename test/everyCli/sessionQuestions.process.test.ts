/** Questions of an agent, for every CLI value that asks: one answer each. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import {
  assertWhole,
  content,
  ended,
  ids,
  type Log,
  open,
  type PeerQuestion,
  traits,
  turnsDone,
  typed
} from "../kit/live.ts"

const colour: PeerQuestion = { id: "q", question: "Which colour?", options: ["Red", "Green"] }
const steps = [{ question: colour }, { await: 1 }, { tell: true }] as const

const questioned = (log: Log) =>
  Effect.map(
    log.until((events) => typed(events, "question").length > 0),
    () => typed(log.events, "question").at(-1) ?? assert.fail("nothing is asked")
  )

/** The reply without an answer depends on the CLI: it is refused, left open, or says so. */
const unanswered = /^q=(default|deny:[^,]*|\{.*no answer.*\})$/

describe.each(ids.filter((id) => traits(id).asksQuestions))("%s", (id) => {
  const { takesOtherAnswers } = traits(id)

  it.live("is told to use its defaults if questions are off", () =>
    Effect.gen(function* () {
      const { turn, log, close } = yield* open(id)
      const events = yield* turn(...steps)
      assert.match(content(events).join(), unanswered)
      const [answer] = typed(events, "question_answer")
      assert.deepInclude(answer, { by: "rule" })
      assert.notProperty(answer, "answers")
      yield* close
      yield* ended(log)
      assertWhole(log.events)
    })
  )

  it.live("gets the choice of a handler: an option, or another text where it takes one", () =>
    Effect.gen(function* () {
      for (const chosen of takesOtherAnswers ? ["Green", 'purple, "rather"'] : ["Green"]) {
        const handler = () => ({ "Which colour?": [chosen] })
        const { turn } = yield* open(id, { questions: { handler } })
        const events = yield* turn(...steps)
        assert.deepStrictEqual(content(events), [`q=${JSON.stringify({ "Which colour?": [chosen] })}`])
        const [question] = typed(events, "question")
        const expected = { question: "Which colour?", multiple: false, freeText: takesOtherAnswers }
        assert.deepInclude(question?.questions[0], expected)
        assert.deepStrictEqual(
          question?.questions[0]?.options.map(({ label }) => label),
          ["Red", "Green"]
        )
        assert.deepInclude(typed(events, "question_answer")[0], {
          by: "handler",
          answers: { "Which colour?": [chosen] }
        })
      }
    })
  )

  it.live("gets the answer of the caller, once", () =>
    Effect.gen(function* () {
      const { session, begin, turn, log } = yield* open(id, { questions: {} })
      yield* begin(...steps)
      const { requestId } = yield* questioned(log)
      assert.isFalse(yield* session.decide(requestId, { decision: "allow" }), "it is not a permission")
      assert.isTrue(yield* session.answer(requestId, { "Which colour?": ["Red"] }))
      assert.isFalse(yield* session.answer(requestId, undefined))
      yield* turnsDone(log, 1)
      assert.deepStrictEqual(content(log.events), ['q={"Which colour?":["Red"]}'])
      assert.deepStrictEqual(content(yield* turn({ say: "-" }, { tell: true })), ["-"])
    })
  )

  it.effect("is told to use its defaults after 300 s", () =>
    Effect.gen(function* () {
      const { begin, log } = yield* open(id, { questions: {} })
      yield* begin(...steps)
      yield* questioned(log)
      yield* TestClock.adjust("299999 millis")
      assert.deepStrictEqual(typed(log.events, "question_answer"), [])
      yield* TestClock.adjust("1 millis")
      yield* turnsDone(log, 1)
      assert.match(content(log.events).join(), unanswered)
      assert.deepInclude(typed(log.events, "question_answer")[0], { by: "deadline" })
    })
  )

  it.live("is interrupted while it asks", () =>
    Effect.gen(function* () {
      const { session, begin, turn, log } = yield* open(id, { questions: {} })
      yield* begin({ question: colour }, { hang: true })
      const { requestId } = yield* questioned(log)
      assert.isTrue(yield* session.interrupt)
      assert.isFalse(yield* session.answer(requestId, undefined))
      yield* turnsDone(log, 1)
      assert.strictEqual(typed(log.events, "question_answer").length, 1)
      assert.match(
        content(yield* turn({ say: "next" }, { tell: true })).join(),
        /^next(,q=(default|error|deny[^,]*))?$/
      )
    })
  )
})
