/** The first agent that can begin; nothing is done twice, and no conversation goes to another vendor unasked. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { TestClock } from "effect/testing"
import { fallback } from "../../../src/agents/several/fallback.ts"
import { Aborted, AgentFailed } from "../../../src/contract/AgentError.ts"
import { mayFallBack } from "../../../src/contract/MayRetry.ts"
import type { Conversation, FallbackOptions } from "../../../src/contract/SeveralAgents.ts"
import { type Course, failedWith, makeTeam, notInstalled } from "./kit.ts"

const params = { prompt: "And now?" }

const conversation: Conversation = {
  agent: "one",
  sessionId: "s1",
  turns: [{ agent: "one", prompt: "Remember 7.", answer: "I do.", tools: [] }]
}

const CourseInput = Schema.Struct({
  failure: Schema.Literals(["none", "missing", "auth", "rate_limit", "overloaded", "crash"]),
  hadOutput: Schema.Boolean
})

const failureOf = (failure: (typeof CourseInput.Type)["failure"]) => {
  if (failure === "none") return undefined
  return failure === "missing" ? notInstalled : failedWith(failure)
}

const courseOf = ({ failure, hadOutput }: typeof CourseInput.Type): Course => {
  const reason = failureOf(failure)
  return { hadOutput, ...(reason === undefined ? {} : { failure: reason }) }
}

describe("fallback", () => {
  it.effect.prop(
    "asks one after the other, each once, and none after one that has begun",
    [Schema.Array(CourseInput).check(Schema.isMinLength(1), Schema.isMaxLength(5))],
    ([inputs]) =>
      Effect.gen(function* () {
        const courses = inputs.map(courseOf)
        const { team, called, active } = makeTeam(Object.fromEntries(courses.map((course, at) => [`a${at}`, course])))
        const last = courses.findIndex(
          ({ failure, hadOutput = false }) => failure === undefined || !mayFallBack({ reason: failure, hadOutput })
        )
        const request = team.names.slice(0, last === -1 ? undefined : last + 1)
        const exit = yield* Effect.result(fallback(team, params))
        assert.deepStrictEqual([called(), active.size], [request, 0])
        assert.strictEqual(exit._tag, courses[last]?.failure === undefined && last !== -1 ? "Success" : "Failure")
        if (exit._tag === "Success") assert.strictEqual(exit.success.others.length, request.length - 1)
        if (exit._tag === "Failure") {
          const { reason } = exit.failure
          assert.deepStrictEqual(reason._tag === "NoGoodAnswer" && reason.others.map(({ agent }) => agent), request)
        }
      })
  )

  it.effect("asks no other agent after an abort", () =>
    Effect.gen(function* () {
      const { team, called } = makeTeam({ one: { failure: new Aborted() }, two: {} })
      yield* Effect.flip(fallback(team, params))
      assert.deepStrictEqual(called(), ["one"])
    })
  )

  it.effect("gives a conversation, which the next turn continues in the same session", () =>
    Effect.gen(function* () {
      const { team, calls } = makeTeam({ one: { failure: notInstalled }, two: { text: "I do.", sessionId: "s2" } })
      const first = yield* fallback(team, { prompt: "Remember 7." })
      const stored: Conversation = JSON.parse(JSON.stringify(first.conversation))
      const second = yield* fallback(team, { prompt: "Which?" }, { conversation: stored })
      assert.deepStrictEqual(
        calls.map(({ agent, params: { prompt, sessionId } }) => [agent, prompt, sessionId]),
        [
          ["one", "Remember 7.", undefined],
          ["two", "Remember 7.", undefined],
          ["two", "Which?", "s2"]
        ]
      )
      assert.deepStrictEqual(
        second.conversation.turns.map(({ agent, prompt, answer }) => [agent, prompt, answer]),
        [
          ["two", "Remember 7.", "I do."],
          ["two", "Which?", "I do."]
        ]
      )
    })
  )

  it.effect("records the tools of a turn, and not those of sub-agents", () =>
    Effect.gen(function* () {
      const events = [
        { type: "tool_use", toolName: "Bash", toolId: "1", input: {}, title: "ls" },
        { type: "tool_use", toolName: "Read", toolId: "2", input: {}, parentToolId: "1" },
        { type: "tool_result", toolId: "1", output: "a.txt", isError: false }
      ] as const
      const { team } = makeTeam({ one: { events } })
      const received: Array<string> = []
      const answer = yield* fallback(team, params, { onEvent: ({ type }) => received.push(type) })
      assert.deepStrictEqual(answer.conversation.turns[0]?.tools, [{ tool: "Bash", title: "ls", output: "a.txt" }])
      assert.strictEqual(received.length, 3)
    })
  )

  const limitedUntil = (retryAt: string) =>
    new AgentFailed({
      code: "usage_limit_reached",
      category: "rate_limit",
      detail: "Later.",
      retryAt,
      retryAfterMs: 60_000
    })

  it.effect("passes over an agent until its limit ends", () =>
    Effect.gen(function* () {
      const { team, called, calls } = makeTeam({ one: { failure: limitedUntil("1970-01-01T00:01:00.000Z") }, two: {} })
      yield* fallback(team, params)
      assert.deepStrictEqual(called(), ["one", "two"])
      yield* TestClock.adjust("59 seconds")
      calls.length = 0
      const { others } = yield* fallback(team, params)
      assert.deepStrictEqual(called(), ["two"])
      const [passed] = others
      const end = "1970-01-01T00:01:00.000Z"
      assert.deepStrictEqual([passed?.agent, passed?.error?.retryAt, passed?.result.retryAt], ["one", end, end])
      assert.deepInclude(passed?.error?.reason, { _tag: "AgentFailed", retryAfterMs: 1_000 })
      yield* TestClock.adjust("1 second")
      calls.length = 0
      yield* fallback(team, params)
      assert.deepStrictEqual(called(), ["one", "two"])
    })
  )

  it.effect("asks agents whose limits have not ended if all agents have one", () =>
    Effect.gen(function* () {
      const { team, called, calls } = makeTeam({
        one: { failure: limitedUntil("1970-01-01T00:01:00.000Z") },
        two: { failure: limitedUntil("1970-01-01T00:02:00.000Z") }
      })
      yield* Effect.flip(fallback(team, params))
      calls.length = 0
      const { reason } = yield* Effect.flip(fallback(team, params))
      assert.deepStrictEqual(called(), ["one", "two"])
      assert.deepStrictEqual(reason._tag === "NoGoodAnswer" && reason.others.map(({ agent }) => agent), ["one", "two"])
    })
  )

  it.effect("passes over the holder of a conversation only with agreement", () =>
    Effect.gen(function* () {
      const { team, called, calls } = makeTeam({ one: { failure: limitedUntil("1970-01-01T00:01:00.000Z") }, two: {} })
      yield* fallback(team, params)
      calls.length = 0
      const { reason } = yield* Effect.flip(fallback(team, params, { conversation }))
      assert.deepInclude(reason, { _tag: "HandOverRefused", from: "one", to: "two" })
      assert.deepStrictEqual(called(), [])
    })
  )

  const refused = [undefined, false, () => false, async () => false, () => Effect.succeed(false)] as const
  it.effect.each(refused)("hands nothing over without agreement: %s", (handOver) =>
    Effect.gen(function* () {
      const { team, called } = makeTeam({ one: { failure: failedWith("rate_limit") }, two: {} })
      const options = { conversation, ...(handOver === undefined ? {} : { handOver }) }
      const error = yield* Effect.flip(fallback(team, params, options))
      assert.deepInclude(error.reason, { _tag: "HandOverRefused", from: "one", to: "two" })
      assert.deepStrictEqual(called(), ["one"])
    })
  )

  const agreed: ReadonlyArray<FallbackOptions["handOver"]> = [true, () => true, async () => true]
  it.effect.each(agreed)("hands the transcript over with agreement: %s", (handOver) =>
    Effect.gen(function* () {
      const { team, calls } = makeTeam({ one: { failure: failedWith("rate_limit") }, two: { sessionId: "s2" } })
      const answer = yield* fallback(team, params, { conversation, ...(handOver === undefined ? {} : { handOver }) })
      const [holder, next] = calls.map(({ params: input }) => input)
      assert.deepStrictEqual([holder?.prompt, holder?.sessionId], ["And now?", "s1"])
      assert.strictEqual(next?.sessionId, undefined)
      assert.match(next?.prompt ?? "", /"Remember 7\."[\s\S]*"I do\."[\s\S]*And now\?$/)
      assert.deepStrictEqual([answer.conversation.agent, answer.conversation.sessionId], ["two", "s2"])
      assert.deepStrictEqual(
        answer.conversation.turns.map(({ prompt }) => prompt),
        ["Remember 7.", "And now?"]
      )
    })
  )

  it.effect("shows what would be sent, and asks for each agent", () =>
    Effect.gen(function* () {
      const { team, calls } = makeTeam({ one: { failure: notInstalled }, two: { failure: notInstalled }, three: {} })
      const offers: Array<ReadonlyArray<string>> = []
      yield* fallback(team, params, {
        conversation,
        handOver: ({ from, to, prompt }) => {
          offers.push([from, to, prompt])
          return true
        }
      })
      const sent = calls.slice(1).map(({ agent, params: { prompt } }) => ["one", agent, prompt])
      assert.deepStrictEqual(offers, sent)
    })
  )

  it.effect("asks the agent of the conversation first, and repeats the transcript where it has no session", () =>
    Effect.gen(function* () {
      const { sessionId: _, ...withoutSession } = conversation
      const { team, calls } = makeTeam({ two: {}, one: {} })
      yield* fallback(team, params, { conversation: withoutSession })
      assert.deepStrictEqual(
        calls.map(({ agent }) => agent),
        ["one"]
      )
      assert.include(calls[0]?.params.prompt, '"Remember 7."')
    })
  )

  it.effect("takes no invalid conversation", () =>
    Effect.gen(function* () {
      const { team, called } = makeTeam({ one: {} })
      const broken = { agent: "one", turns: [{ agent: "one" }] } as unknown as Conversation
      const { reason } = yield* Effect.flip(fallback(team, params, { conversation: broken }))
      assert.deepInclude(reason, { _tag: "InvalidParams", option: "conversation.turns.0.prompt" })
      assert.deepStrictEqual(called(), [])
    })
  )
})
