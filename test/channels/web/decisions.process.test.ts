/** Requests and questions of agents, decided on a page: once, by whom it may be, and in the words that buttons have. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { AgentEvent } from "../../../src/contract/AgentEvent.ts"
import { openPage, type Row, type Script, uuid, visitor } from "./page.ts"

const text = (input: string): AgentEvent => ({ type: "text", text: input })

const request = (more: object = {}): AgentEvent => ({
  ...{ type: "permission_request", requestId: "1", toolId: "t", toolName: "Bash", kind: "command" },
  ...{ input: { command: "rm -rf build" }, title: "rm -rf build", command: "rm -rf build", escalated: false },
  scopes: [{ id: "exact", label: "this exact command", covers: "this" }],
  ...more
})

const requested = (rows: ReadonlyArray<Row>) =>
  rows.find(({ event }) => event?.type === "permission_request" || event?.type === "question")
const decided = (rows: ReadonlyArray<Row>) => rows.find(({ event }) => event?.type === "permission_decision")?.["event"]

const clean: Script = ({ prompt }) => (prompt === "clean up" ? [request(), text("done")] : [text(prompt)])

/** Two people of an application, by their tokens. */
const people = (request: Request) => {
  const [, token = ""] = /^Bearer (\w+)$/.exec(request.headers.get("authorization") ?? "") ?? []
  return { ann: { id: "ann", name: "Ann" }, ben: { id: "ben" }, eve: { id: "eve" } }[token]
}

describe("a request of an agent", () => {
  it.live("is decided once, and later people are told by whom", () =>
    Effect.gen(function* () {
      const { you, list } = yield* openPage({ script: clean })
      yield* you.say("clean up")
      const { until } = yield* you.read()
      const { event } = yield* until(requested)
      assert.deepInclude(event, { title: "rm -rf build", command: "rm -rf build" })
      assert.match(event.requestId, /^[\w-]{16}$/)
      assert.include(event.preview, "rm -rf build")
      assert.isNumber(event.deadlineMs)
      yield* list.state(({ conversations }) => conversations[0]?.state === "asking")
      const decide = (decision: string, more: object = {}, id = uuid()) =>
        you.press({ do: "decide", requestId: event.requestId, decision, ...more }, id)
      assert.strictEqual((yield* decide("allow", { scope: "everything" })).text, "this choice is no longer there")
      const id = uuid()
      const answers = yield* Effect.all(
        [decide("allow", {}, id), decide("allow", {}, id), decide("deny"), decide("allow", { scope: "exact" })],
        { concurrency: 4 }
      )
      assert.deepStrictEqual(
        answers.map((answer) => answer.text),
        ["allowed", "allowed", "already answered by You", "already answered by You"]
      )
      const decision = decided(yield* until((rows) => rows.some(({ row }) => row === "answer") && rows))
      assert.deepInclude(decision, { decision: "allow", by: "caller", person: "You", requestId: event.requestId })
      assert.notProperty(decision, "remembered")
      assert.strictEqual((yield* decide("deny")).text, "already answered by You")
      yield* list.state(({ conversations }) => conversations[0]?.state === "done")
    }).pipe(Effect.scoped)
  )

  it.live("is denied with a word for the agent, and remembered only for its own scopes", () =>
    Effect.gen(function* () {
      const { you } = yield* openPage({ script: clean })
      yield* you.say("clean up")
      const { until } = yield* you.read()
      const { event } = yield* until(requested)
      const press = { do: "decide", requestId: event.requestId, decision: "deny", message: "use git clean" }
      assert.strictEqual((yield* you.press(press)).text, "denied")
      assert.deepInclude(yield* until(decided), { decision: "deny", message: "use git clean" })
    }).pipe(Effect.scoped)
  )

  it.live("cannot be allowed where not all of it is shown, and is stopped with its turn", () =>
    Effect.gen(function* () {
      const long = "x".repeat(70_000)
      const { you } = yield* openPage({
        script: [request({ command: `echo ${long}`, input: { command: `echo ${long}` } })]
      })
      yield* you.say("go")
      const { until } = yield* you.read()
      const { event } = yield* until(requested)
      assert.isString(event.notShown)
      assert.isTrue(event.cut)
      const press = { do: "decide", requestId: event.requestId }
      assert.strictEqual((yield* you.press({ ...press, decision: "allow" })).text, "this choice is no longer there")
      const other = `bridge-${"x".repeat(24)}`
      assert.notStrictEqual((yield* you.press({ do: "stop", turn: other })).text, "Stopped.")
      assert.strictEqual((yield* you.press({ do: "stop" })).text, "Stopped.")
      yield* until(decided)
      assert.include(
        ["this question is over", "already answered by You"],
        (yield* you.press({ ...press, decision: "deny" })).text
      )
    }).pipe(Effect.scoped)
  )

  it.live("is of its own conversation and its approvers alone", () =>
    Effect.gen(function* () {
      const page = yield* openPage({
        script: clean,
        bridge: { access: { approvers: ["ann"], users: ["ben"] } },
        listen: { authorize: people }
      })
      const [ann, ben, eve] = [visitor(page.base, "ann"), visitor(page.base, "ben"), visitor(page.base, "eve")]
      yield* ann.say("clean up")
      const { until } = yield* ann.read()
      const { event } = yield* until(requested)
      yield* ben.say("hello")
      yield* (yield* ben.read()).until((rows) => rows.some(({ row }) => row === "answer"))
      const press = { do: "decide", requestId: event.requestId, decision: "allow" }
      // In her conversation he is not; in his own it is not hers.
      assert.strictEqual((yield* ben.press(press, uuid(), ann.conversation)).status, 404)
      assert.strictEqual((yield* ben.press(press)).text, "not yours to answer")
      assert.strictEqual((yield* eve.press(press)).status, 403)
      // A user does not approve, also what their own agent asks.
      yield* ben.say("clean up")
      const own = yield* (yield* ben.read()).until(requested)
      const try_ = { do: "decide", requestId: own["event"].requestId, decision: "allow" }
      assert.strictEqual((yield* ben.press(try_)).text, "not yours to answer")
      assert.strictEqual((yield* ann.press(press)).text, "allowed")
    }).pipe(Effect.scoped)
  )
})

const question: AgentEvent = {
  ...{ type: "question", requestId: "1", toolId: "t" },
  questions: [
    {
      ...{ question: "Which?", options: [{ label: "one" }, { label: "two" }], multiple: false, freeText: false },
      header: "Which"
    },
    { question: "Why?", options: [], multiple: false, freeText: true }
  ]
}

describe("a question of an agent", () => {
  it.live("is left to the agent by anyone who may answer it, once", () =>
    Effect.gen(function* () {
      const { you } = yield* openPage({ script: [question, text("thanks")] })
      yield* you.say("ask me")
      const { until } = yield* you.read()
      const { event } = yield* until(requested)
      const leave = () => you.press({ do: "answer", requestId: event.requestId })
      assert.strictEqual((yield* leave()).text, "taken")
      const rows = yield* until((all) => all.some(({ row }) => row === "answer") && all)
      const input = rows.find(({ event }) => event?.type === "question_answer")?.["event"]
      assert.deepInclude(input, { by: "caller", person: "You" })
      assert.notProperty(input, "answers")
      assert.strictEqual((yield* leave()).text, "already answered by You")
    }).pipe(Effect.scoped)
  )

  it.live("is answered by value, all of it at once", () =>
    Effect.gen(function* () {
      const { you } = yield* openPage({ script: [question, text("thanks")] })
      yield* you.say("ask me")
      const { until } = yield* you.read()
      const { event } = yield* until(requested)
      const answer = (answers: object) => you.press({ do: "answer", requestId: event.requestId, answers })
      for (const wrong of [
        {},
        { "Which?": ["one"] },
        { "Which?": ["three"], "Why?": ["x"] },
        { "Which?": ["one", "two"], "Why?": ["x"] }
      ]) {
        assert.strictEqual((yield* answer(wrong)).text, "this choice is no longer there")
      }
      assert.strictEqual((yield* answer({ "Which?": ["two"], "Why?": ["because"] })).text, "taken")
      const rows = yield* until((all) => all.some(({ row }) => row === "answer") && all)
      assert.deepInclude(rows.find(({ event }) => event?.type === "question_answer")?.["event"], {
        answers: { "Which?": ["two"], "Why?": ["because"] },
        person: "You",
        requestId: event.requestId
      })
    }).pipe(Effect.scoped)
  )
})
