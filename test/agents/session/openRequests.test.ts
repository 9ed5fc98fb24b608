/** A request gets its one answer, whatever a function of the host or a plain JavaScript caller returns. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, FiberSet, Result } from "effect"
import * as Approvals from "../../../src/agents/Approvals.ts"
import { makeApprover } from "../../../src/agents/approvals/approver.ts"
import { makeOpenRequests } from "../../../src/agents/session/openRequests.ts"
import type { AgentEvent } from "../../../src/contract/AgentEvent.ts"
import type { Decision, PermissionAsk } from "../../../src/contract/Rule.ts"
import type { Answers } from "../../../src/contract/SessionEvent.ts"
import { typed } from "../../kit/live.ts"
import { settled } from "../../kit/scripted.ts"

const request = (requestId: string, command = "run a"): PermissionAsk => ({
  requestId,
  toolName: "Bash",
  toolId: requestId,
  kind: "command",
  input: { command },
  title: command,
  command,
  takesInput: true
})

const question = (requestId: string) =>
  ({
    type: "question",
    requestId,
    questions: [{ question: "Which?", options: [{ label: "one" }], multiple: false, freeText: true }]
  }) as const

/** Asks over a dialogue that remembers what it was told. */
const makeAsking = Effect.fnUntraced(function* (handler?: () => unknown) {
  const events: Array<AgentEvent> = []
  const decisions: Array<readonly [string, Decision]> = []
  const answers: Array<readonly [string, Answers | undefined]> = []
  const plans: Array<number> = []
  const input = handler as Approvals.PermissionHandler & Approvals.QuestionHandler // as plain JavaScript may
  const approver = makeApprover([Approvals.ask(input)], {
    workingDirectory: "/w",
    now: () => 0,
    textLength: () => 0,
    turn: () => 1
  })
  const requests = makeOpenRequests({
    questions: handler === undefined ? {} : { handler: input },
    workingDirectory: "/w",
    approver,
    dialogue: {
      decide: (requestId, decision) => {
        decisions.push([requestId, decision])
        return []
      },
      reply: () => [],
      answer: (requestId, answer) => {
        answers.push([requestId, answer])
        return []
      }
    },
    give: (event) => events.push(event),
    perform: () => {},
    planAllowed: () => plans.push(decisions.length),
    isWritable: () => true,
    clock: { currentTimeMillisUnsafe: () => 0 },
    fork: yield* FiberSet.makeRuntime<never, void, never>()
  })
  return { requests, events, decisions, answers, plans }
})

const cyclic: { self?: unknown } = {}
cyclic.self = cyclic
const deep: unknown = JSON.parse(`${"[".repeat(9_000)}${"]".repeat(9_000)}`)

const noAnswers: ReadonlyArray<readonly [string, unknown]> = [
  ["nothing", undefined],
  ["a boolean", true],
  ["an unknown word", { decision: "yes" }],
  ["an input that is not JSON", { decision: "allow", input: { count: 1n } }],
  ["an input without end", { decision: "allow", input: cyclic }],
  ["a message that is not a text", { decision: "deny", message: 1 }],
  ["an input that is nested too deep", { decision: "allow", input: deep }],
  ["a number for an interrupt", { decision: "deny", interrupt: 1 }],
  ["a match to remember", { decision: "allow", remember: { tools: ["Bash"] } }]
]

describe("a permission request", () => {
  it.effect("states its plan first, for those who follow plans alone", () =>
    Effect.gen(function* () {
      const { requests, events } = yield* makeAsking(() => ({ decision: "allow" }))
      const plan = `# Plan\n${"x".repeat(300_000)}`
      requests.permission({ ...request("a"), kind: "plan", plan, parentToolId: "p" })
      requests.permission(request("b"))
      const types = ["plan", "permission_request", "permission_decision", "permission_request", "permission_decision"]
      assert.deepStrictEqual(
        events.map(({ type }) => type),
        types
      )
      const [stated] = typed(events, "plan")
      assert.deepInclude(stated, { toolId: "a", parentToolId: "p" })
      assert.lengthOf(stated?.text ?? "", 256 * 1024)
      assert.strictEqual(typed(events, "permission_request")[0]?.plan, plan)
    })
  )

  it.effect.each(noAnswers)("is denied where its handler gives %s, and nothing is remembered", ([, input]) =>
    Effect.gen(function* () {
      const { requests, events, decisions } = yield* makeAsking(() => input)
      requests.permission(request("1"))
      yield* settled
      requests.permission(request("2", "run b"))
      yield* settled
      assert.strictEqual(requests.open.size, 0)
      assert.deepStrictEqual(
        decisions.map(([requestId, { decision }]) => [requestId, decision]),
        [
          ["1", "deny"],
          ["2", "deny"]
        ]
      )
      assert.deepStrictEqual(
        typed(events, "permission_decision").map(({ by }) => by),
        ["handler", "handler"]
      )
      for (const event of typed(events, "permission_decision")) {
        assert.match(event.message ?? "", /^The function that decides on this gave no valid answer: \w+ .{5,80}\.$/)
      }
    })
  )

  it.effect("is denied where its handler throws; what it threw is not for the agent", () =>
    Effect.gen(function* () {
      const { requests, events } = yield* makeAsking(() => {
        throw new Error("s3cret")
      })
      requests.permission(request("1"))
      yield* settled
      assert.deepStrictEqual(
        typed(events, "permission_decision").map(({ message }) => message),
        ["The function that decides on this failed: no decision was made."]
      )
    })
  )

  it.effect.each(noAnswers)("waits on where a caller gives %s", ([, input]) =>
    Effect.gen(function* () {
      const { requests, decisions } = yield* makeAsking()
      requests.permission(request("1"))
      const refused = requests.decide("1", input as Approvals.PlanAnswer) // as plain JavaScript may
      assert.isTrue(Result.isFailure(refused) && refused.failure._tag === "InvalidParams")
      assert.isTrue(requests.open.size > 0)
      const taken = requests.decide("1", { decision: "allow", input: { command: "run b" }, remember: true })
      assert.deepStrictEqual(taken, Result.succeed(true))
      assert.deepStrictEqual(decisions, [["1", { decision: "allow", input: { command: "run b" } }]])
    })
  )
})

describe("the mode of the session", () => {
  const cases = [
    ["plan", "allow", [0]],
    ["plan", "deny", []],
    ["command", "allow", []]
  ] as const
  it.effect.each(cases)("after a %s: %s", ([kind, decision, expected]) =>
    Effect.gen(function* () {
      const { requests, decisions, plans } = yield* makeAsking()
      requests.permission({ ...request("1"), kind })
      assert.deepStrictEqual(requests.decide("1", { decision }), Result.succeed(true))
      // Before the CLI is told: it may report its new mode at once.
      assert.deepStrictEqual([plans, decisions.length], [expected, 1])
    })
  )
})

const noTexts: ReadonlyArray<readonly [string, unknown]> = [
  ["a text", "one"],
  ["null", null],
  ["a text for a list", { "Which?": "one" }],
  ["numbers", { "Which?": [1] }]
]

describe("a question", () => {
  it.effect.each(noTexts)("is answered by the defaults where its handler gives %s", ([, input]) =>
    Effect.gen(function* () {
      const { requests, events, answers } = yield* makeAsking(() => input)
      requests.question(question("1"))
      yield* settled
      assert.deepStrictEqual(answers, [["1", undefined]])
      assert.deepStrictEqual(typed(events, "question_answer"), [
        { type: "question_answer", requestId: "1", by: "handler" }
      ])
    })
  )

  it.effect.each(noTexts)("waits on where a caller gives %s", ([, input]) =>
    Effect.gen(function* () {
      const { requests, answers } = yield* makeAsking()
      requests.question(question("1"))
      const refused = requests.answer("1", input as Answers) // as plain JavaScript may
      assert.isTrue(Result.isFailure(refused) && refused.failure._tag === "InvalidParams")
      assert.isTrue(requests.open.size > 0)
      assert.deepStrictEqual(requests.answer("1", { "Which?": ["one"] }), Result.succeed(true))
      assert.deepStrictEqual(answers, [["1", { "Which?": ["one"] }]])
    })
  )
})

describe("a person who answers", () => {
  const ann = { person: "Ann\u202e", where: "chat" } as const

  it.effect("is in the event of a decision and of an answer", () =>
    Effect.gen(function* () {
      const { requests, events } = yield* makeAsking()
      requests.permission(request("1"))
      requests.decide("1", { decision: "deny", ...ann })
      requests.permission(request("2"))
      requests.decide("2", { decision: "allow" })
      requests.question(question("3"))
      requests.answer("3", { "Which?": ["one"] }, ann)
      const reported = events.flatMap((event) =>
        event.type === "permission_decision" || event.type === "question_answer"
          ? [[event.requestId, event.by, event.person, event.where]]
          : []
      )
      assert.deepStrictEqual(reported, [
        ["1", "caller", "Ann", "chat"],
        ["2", "caller", undefined, undefined],
        ["3", "caller", "Ann", "chat"]
      ])
    })
  )

  it.effect("has a name that is text, or the request stays open", () =>
    Effect.gen(function* () {
      const { requests } = yield* makeAsking()
      requests.permission(request("1"))
      requests.question(question("2"))
      const nobody = { person: 7 } as unknown as { person: string } // as plain JavaScript may
      assert.isTrue(Result.isFailure(requests.decide("1", { decision: "allow", ...nobody })))
      assert.isTrue(Result.isFailure(requests.answer("2", undefined, nobody)))
      assert.deepStrictEqual([...requests.open], ["1", "2"])
    })
  )
})

describe("an id", () => {
  const isInvalid = (input: Result.Result<boolean, unknown>) => Result.isFailure(input)
  const allow = { decision: "allow" } as const

  it.effect("is known for the last 10,000 requests, and refused without a request", () =>
    Effect.gen(function* () {
      const { requests } = yield* makeAsking()
      for (let index = 0; index <= 10_000; index++) {
        requests.permission(request(`${index}`))
        requests.withdraw(`${index}`)
      }
      assert.deepStrictEqual(requests.decide("1", allow), Result.succeed(false))
      assert.deepStrictEqual(requests.answer("10000", undefined), Result.succeed(false))
      assert.isTrue(isInvalid(requests.decide("0", allow)))
      assert.isTrue(isInvalid(requests.decide("10001", allow)))
    })
  )

  it.effect("is refused once the session is over, or if it is too long to be stored", () =>
    Effect.gen(function* () {
      const { requests } = yield* makeAsking()
      const long = "x".repeat(201)
      requests.permission(request(long))
      requests.withdraw(long)
      assert.deepStrictEqual(requests.decide(long, allow), Result.succeed(false))
      assert.isTrue(isInvalid(requests.answer("1", undefined)))
      requests.end()
      assert.deepStrictEqual(requests.answer("1", undefined), Result.succeed(false))
    })
  )
})
