/** What an agent wants to know, for every CLI value that asks: one answer to each. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import {
  assertWhole,
  ended,
  ids,
  type Log,
  open,
  type PeerQuestion,
  said,
  traits,
  turnsDone,
  typed
} from "../kit/live.ts"

const colour: PeerQuestion = { id: "q", question: "Which colour?", options: ["Red", "Green"] }
const asked = [{ question: colour }, { await: 1 }, { tell: true }] as const

const questioned = (log: Log) =>
  Effect.map(
    log.until((events) => typed(events, "question").length > 0),
    () => typed(log.events, "question").at(-1) ?? assert.fail("nothing is asked")
  )

/** How it is told depends on the CLI: it is refused, left unanswered, or answered that there is no answer. */
const unanswered = /^q=(default|deny:[^,]*|\{.*no answer.*\})$/

describe.each(ids.filter((id) => traits(id).asksQuestions))("%s", (id) => {
  it.live("is told to use its defaults where nobody answers questions", () =>
    Effect.gen(function* () {
      const { turn, log, close } = yield* open(id)
      const events = yield* turn(...asked)
      assert.match(said(events).join(), unanswered)
      const [answer] = typed(events, "question_answer")
      assert.deepInclude(answer, { by: "rule" })
      assert.notProperty(answer, "answers")
      yield* close
      yield* ended(log)
      assertWhole(log.events)
    })
  )

  it.live("is told what a handler chose: an option, or a text that is none", () =>
    Effect.gen(function* () {
      for (const chosen of ["Green", 'purple, "rather"']) {
        const handler = () => ({ "Which colour?": [chosen] })
        const { turn } = yield* open(id, { questions: { handler } })
        const events = yield* turn(...asked)
        assert.deepStrictEqual(said(events), [`q=${JSON.stringify({ "Which colour?": [chosen] })}`])
        const [question] = typed(events, "question")
        assert.deepInclude(question?.questions[0], { question: "Which colour?", multiple: false, freeText: true })
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

  it.live("is told what the caller answers, once", () =>
    Effect.gen(function* () {
      const { session, begin, turn, log } = yield* open(id, { questions: {} })
      yield* begin(...asked)
      const { requestId } = yield* questioned(log)
      assert.isFalse(yield* session.decide(requestId, { decision: "allow" }), "it is no permission")
      assert.isTrue(yield* session.answer(requestId, { "Which colour?": ["Red"] }))
      assert.isFalse(yield* session.answer(requestId, undefined))
      yield* turnsDone(log, 1)
      assert.deepStrictEqual(said(log.events), ['q={"Which colour?":["Red"]}'])
      assert.deepStrictEqual(said(yield* turn({ say: "-" }, { tell: true })), ["-"])
    })
  )

  it.effect("is told to use its defaults after 300 s", () =>
    Effect.gen(function* () {
      const { begin, log } = yield* open(id, { questions: {} })
      yield* begin(...asked)
      yield* questioned(log)
      yield* TestClock.adjust("299999 millis")
      assert.deepStrictEqual(typed(log.events, "question_answer"), [])
      yield* TestClock.adjust("1 millis")
      yield* turnsDone(log, 1)
      assert.match(said(log.events).join(), unanswered)
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
      assert.match(said(yield* turn({ say: "next" }, { tell: true })).join(), /^next(,q=(default|error|deny[^,]*))?$/)
    })
  )
})
