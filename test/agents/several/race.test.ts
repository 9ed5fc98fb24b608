/** The first good answer, and all of them: in any order of endings, and nothing runs on afterwards. */
import { NodeServices } from "@effect/platform-node"
import { assert, describe, layer } from "@effect/vitest"
import { Cause, Effect, Exit, Fiber, Schema } from "effect"
import { TestClock } from "effect/testing"
import { each, race } from "../../../src/agents/several/race.ts"
import { Aborted } from "../../../src/contract/AgentError.ts"
import type { AgentExecuteParams } from "../../../src/contract/AgentExecuteParams.ts"
import type { AgentDefaults } from "../../../src/contract/AgentOptions.ts"
import type { RaceOptions } from "../../../src/contract/SeveralAgents.ts"
import { type Course, failedWith, makeTeam, notInstalled, plan } from "./kit.ts"

const CourseInput = Schema.Struct({
  afterMs: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 5 })),
  ending: Schema.Literals(["good", "refused", "failed"]),
  leavesAfterMs: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 3 }))
})

type Input = typeof CourseInput.Type

const courseOf = ({ afterMs, ending, leavesAfterMs }: Input): Course => ({
  afterMs,
  leavesAfterMs,
  text: ending,
  ...(ending === "failed" ? { failure: failedWith("overloaded") } : {})
})

const accept = ({ result }: { readonly result: { readonly text: string } }) => result.text === "good"

/** By the test's clock, until it is over. */
const atLast = Effect.fnUntraced(function* <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  { allCalled }: Pick<ReturnType<typeof makeTeam>, "allCalled">
) {
  const fiber = yield* Effect.forkChild(effect, { startImmediately: true })
  yield* allCalled
  yield* TestClock.adjust("1 minute")
  return yield* Fiber.await(fiber)
})

describe("race", () => {
  layer(NodeServices.layer)((it) => {
    it.effect.prop(
      "gives the first good answer of any order of endings, tells which ended before, and leaves none running",
      [Schema.Array(CourseInput).check(Schema.isMinLength(1), Schema.isMaxLength(5))],
      ([inputs]) =>
        Effect.gen(function* () {
          const agents = makeTeam(Object.fromEntries(inputs.map((input, at) => [`agent ${at}`, courseOf(input)])))
          const { team, called, active } = agents
          const exit = yield* atLast(race(team, plan, { accept }), agents)
          assert.deepStrictEqual(called(), team.names)
          assert.strictEqual(active.size, 0)
          const firstGood = Math.min(...inputs.filter(({ ending }) => ending === "good").map(({ afterMs }) => afterMs))
          if (firstGood === Number.POSITIVE_INFINITY) {
            assert.isTrue(Exit.isFailure(exit))
            if (!Exit.isFailure(exit)) return
            const error = Cause.squash(exit.cause)
            assert.deepInclude(error, { _tag: "AgentsError" })
            assert.include(String(error), "No agent gave a good answer")
            return
          }
          const answer = yield* exit
          const winner = inputs[team.names.indexOf(answer.agent)]
          assert.deepStrictEqual([winner?.ending, winner?.afterMs], ["good", firstGood])
          for (const { agent, error, result } of answer.others) {
            const input = inputs[team.names.indexOf(agent)]
            assert.isAtMost(input?.afterMs ?? 99, firstGood)
            assert.strictEqual(error === undefined, input?.ending === "refused")
            assert.strictEqual(result.text, input?.ending)
          }
        })
    )

    it.effect("waits until the losers have left", () =>
      Effect.gen(function* () {
        const slow = { afterMs: 1000, leavesAfterMs: 500 }
        const { team, active, allCalled } = makeTeam({ fast: { afterMs: 1 }, slow })
        const fiber = yield* Effect.forkChild(race(team, plan), { startImmediately: true })
        yield* allCalled
        yield* TestClock.adjust(500)
        assert.deepStrictEqual([fiber.pollUnsafe(), [...active]], [undefined, ["slow"]])
        yield* TestClock.adjust(2)
        assert.strictEqual((yield* Fiber.join(fiber)).agent, "fast")
        assert.strictEqual(active.size, 0)
      })
    )

    const verdicts: ReadonlyArray<
      readonly [string, () => ReturnType<NonNullable<RaceOptions["accept"]>> | Effect.Effect<boolean>]
    > = [
      ["a value", () => true],
      ["a promise", async () => true],
      ["an effect", () => Effect.succeed(true)]
    ]
    it.effect.each(verdicts)("takes the verdict as %s", ([_, verdict]) =>
      Effect.gen(function* () {
        const { team } = makeTeam({ one: { text: "hi" } })
        const { agent, result } = yield* race(team, plan, { accept: () => verdict() })
        assert.deepStrictEqual([agent, result.text], ["one", "hi"])
      })
    )

    it.effect("a slow verdict does not hold up the others", () =>
      Effect.gen(function* () {
        const agents = makeTeam({ first: { afterMs: 1 }, second: { afterMs: 2 } })
        const exit = yield* atLast(
          race(agents.team, plan, {
            accept: ({ agent }) => (agent === "first" ? Effect.never : Effect.succeed(true))
          }),
          agents
        )
        assert.strictEqual((yield* exit).agent, "second")
      })
    )

    const broken: ReadonlyArray<readonly [string, RaceOptions]> = [
      ["`accept` throws", { accept: () => JSON.parse("{") }],
      ["`accept` rejects", { accept: async () => JSON.parse("{") }],
      ["`onEvent` throws", { onEvent: () => JSON.parse("{") }]
    ]
    it.effect.each(broken)("ends all agents where %s", ([_, options]) =>
      Effect.gen(function* () {
        const { team, active } = makeTeam({ one: { events: [{ type: "text", text: "hi" }] }, two: { afterMs: 1000 } })
        const exit = yield* Effect.exit(race(team, plan, options))
        assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause))
        assert.strictEqual(active.size, 0)
      })
    )

    it.effect("an abort ends all agents, and is the reason", () =>
      Effect.gen(function* () {
        const one = { afterMs: 1000, leavesAfterMs: 5 }
        const { team, active, allCalled } = makeTeam({ one, two: { afterMs: 1000 } })
        const controller = new AbortController()
        const fiber = yield* Effect.forkChild(Effect.flip(race(team, { ...plan, abortSignal: controller.signal })), {
          startImmediately: true
        })
        yield* allCalled
        assert.strictEqual(active.size, 2)
        controller.abort()
        yield* TestClock.adjust(10)
        assert.deepStrictEqual((yield* Fiber.join(fiber)).reason, new Aborted())
        assert.strictEqual(active.size, 0)
      })
    )

    it.effect("gives each agent params of its own", () =>
      Effect.gen(function* () {
        const { team, calls } = makeTeam({ one: {}, two: {} })
        yield* each(team, (agent) => ({ ...plan, model: `model of ${agent}` }))
        assert.deepStrictEqual(
          calls.map(({ params }) => params.model),
          ["model of one", "model of two"]
        )
      })
    )
  })
})

describe("each", () => {
  layer(NodeServices.layer)((it) => {
    it.effect("gives the end of each agent in their order, whichever is first, failures included", () =>
      Effect.gen(function* () {
        const agents = makeTeam({
          slow: { afterMs: 9, text: "a" },
          missing: { failure: notInstalled },
          fast: { text: "c" }
        })
        const ends = yield* yield* atLast(each(agents.team, plan), agents)
        assert.deepStrictEqual(
          ends.map(({ agent, result, error }) => [agent, result.text, error?.reason]),
          [
            ["slow", "a", undefined],
            ["missing", "", notInstalled],
            ["fast", "c", undefined]
          ]
        )
      })
    )

    it.effect("asks those that are named, and tells whose events they are", () =>
      Effect.gen(function* () {
        const events = [{ type: "text", text: "hi" }] as const
        const { team, called } = makeTeam({ a: { events }, b: { events }, c: { events } })
        const received: Array<string> = []
        yield* each(team, plan, { agents: ["c", "a"], onEvent: ({ type }, agent) => received.push(`${agent} ${type}`) })
        assert.deepStrictEqual(
          [called(), received],
          [
            ["c", "a"],
            ["c text", "a text"]
          ]
        )
      })
    )
  })
})

describe("the defaults of an agent", () => {
  layer(NodeServices.layer)((it) => {
    const cases: ReadonlyArray<readonly [string, AgentDefaults, Partial<AgentExecuteParams>, boolean]> = [
      ["can hold it to plan mode", { permissionMode: "plan" }, {}, true],
      ["are below the params", { permissionMode: "plan" }, { permissionMode: "accept-edits" }, false],
      ["can loosen the plan mode of the params", { allowedTools: ["Bash"] }, plan, false],
      ["can give it a directory", { workingDirectory: "/one" }, { permissionMode: "accept-edits" }, true]
    ]
    it.effect.each(cases)("%s", ([_, defaults, params, isAllowed]) =>
      Effect.gen(function* () {
        const other: AgentDefaults = {
          ...defaults,
          ...("workingDirectory" in defaults ? { workingDirectory: "/two" } : {})
        }
        const { team, called, calls } = makeTeam({ one: {}, two: {} }, { one: defaults, two: other })
        const exit = yield* Effect.result(each(team, { prompt: "hello", ...params }))
        assert.strictEqual(exit._tag, isAllowed ? "Success" : "Failure")
        assert.deepStrictEqual(called(), isAllowed ? ["one", "two"] : [])
        if (isAllowed) assert.deepInclude(calls[0]?.params, defaults)
      })
    )
  })
})

describe("nothing is started", () => {
  layer(NodeServices.layer)((it) => {
    // As a caller in JavaScript would hand them over.
    const wrong: ReadonlyArray<readonly [string, unknown, unknown]> = [
      ['agents: "three" is not one of "one", "two"', plan, { agents: ["three"] }],
      ["agents: the list of agents is empty", plan, { agents: [] }],
      ["agents: one of them is named twice", plan, { agents: ["one", "one"] }],
      ["params: is not an object", undefined, {}],
      ['worktree: is not a known field; did you mean "worktrees"?', plan, { worktree: true }],
      ["accept: Expected a function", plan, { accept: true }],
      [
        "sessionId: can be that of one agent only: make `params` a function of the agent's name, or give `conversation` to `fallback`",
        { ...plan, sessionId: "s" },
        {}
      ],
      [
        "record: can be that of one agent only: make `params` a function of the agent's name",
        { ...plan, record: "file" },
        {}
      ]
    ]
    it.effect.each(wrong)("%s", ([message, params, options]) =>
      Effect.gen(function* () {
        const { team, called } = makeTeam({ one: {}, two: {} })
        const error = yield* Effect.flip(race(team, params as typeof plan, options as RaceOptions))
        assert.strictEqual(error.message, message)
        assert.deepStrictEqual(called(), [])
      })
    )
  })
})
