/** Live fakes: each agent's own protocol, spoken by a process whose turns are a script. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { AgentRuntime } from "../../src/agents/AgentRuntime.ts"
import * as Approvals from "../../src/agents/Approvals.ts"
import type { AgentEvent } from "../../src/contract/AgentEvent.ts"
import type { AgentOpenParams } from "../../src/contract/AgentOpenParams.ts"
import { createAcpAgent, createAgent } from "../../src/promise.ts"
import { FakeCli, type LiveAgent, LiveStep, Step } from "../../src/testing.ts"
import { InstalledFake } from "../../src/testingEffect.ts"
import { killGrace } from "../kit/agent.ts"
import { typed } from "../kit/live.ts"
import { assertAllDead } from "../kit/processes.ts"
import { ids } from "./kit.ts"

const agents: ReadonlyArray<LiveAgent> = [...ids, "acp"]

/** Events of a session for some turns, without the events' own ids. */
const turnsOf = (fake: FakeCli, prompts: ReadonlyArray<string>, params: AgentOpenParams = {}) =>
  Effect.gen(function* () {
    const { calls } = yield* InstalledFake
    const agent = yield* AgentRuntime
    const turns = yield* Effect.scoped(
      Effect.gen(function* () {
        const session = yield* agent.open(params)
        return yield* Effect.forEach(prompts, (prompt) => Stream.runCollect(session.turn(prompt)))
      })
    )
    assertAllDead(calls().map(({ pid }) => pid))
    return turns
  }).pipe(Effect.provide(InstalledFake.layer(fake, { killGrace })))

const lastOf = (events: ReadonlyArray<AgentEvent> | undefined) => {
  const last = events?.at(-1)
  return last?.type === "turn_done" ? last.result : assert.fail("no turn_done")
}

describe.each(agents)("%s", (id) => {
  it.live("takes turns, the last script for all that follow", () =>
    Effect.gen(function* () {
      const fake = FakeCli.live(id, [[LiveStep.text("one")], [LiveStep.text("two"), LiveStep.text(" and three")]])
      const turns = yield* turnsOf(fake, ["a", "b", "c"])
      assert.deepStrictEqual(
        turns.map((events) => lastOf(events).text.replaceAll("\n", "")),
        ["one", "two and three", "two and three"]
      )
      assert.deepStrictEqual([...new Set(turns.map((events) => lastOf(events).outcome))], ["completed"])
    })
  )

  it.live.skipIf(id === "pi")("asks, is answered, and goes on", () =>
    Effect.gen(function* () {
      const asking = LiveStep.command({ command: "echo 'a b'", output: "a b", ask: true })
      const fake = FakeCli.live(id, [[asking, LiveStep.text("after it")]])
      const rules = [Approvals.allow({ commands: ["echo *"] })]
      const [allowed = []] = yield* turnsOf(fake, ["go"], { approvals: rules })
      assert.deepInclude(typed(allowed, "permission_request")[0], { command: "echo 'a b'", kind: "command" })
      assert.deepInclude(typed(allowed, "permission_decision")[0], { decision: "allow", by: "rule" })
      assert.include(typed(allowed, "tool_result")[0]?.output, "a b")
      assert.include(lastOf(allowed).text, "after it")
      const [denied = []] = yield* turnsOf(fake, ["go"])
      assert.deepInclude(typed(denied, "permission_decision")[0], { decision: "deny" })
      assert.notInclude(
        typed(denied, "tool_result").map(({ output }) => output),
        "a b"
      )
    })
  )

  it.live("runs unasked, fails a turn and goes on with the next", () =>
    Effect.gen(function* () {
      const fake = FakeCli.live(id, [
        [LiveStep.command({ command: "ls" }), LiveStep.fail("the model is gone")],
        [LiveStep.text("back")]
      ])
      const [failed, next] = yield* turnsOf(fake, ["a", "b"])
      assert.strictEqual(typed(failed ?? [], "permission_request").length, 0)
      assert.strictEqual(typed(failed ?? [], "tool_use").length, 1)
      assert.strictEqual(lastOf(failed).outcome, "failed")
      assert.include(lastOf(next).text, "back")
    })
  )

  it.live("is interrupted while it hangs", () =>
    Effect.gen(function* () {
      const agent = yield* AgentRuntime
      const session = yield* agent.open()
      const events = yield* session.turn("go").pipe(
        Stream.tap(({ type }) => (type === "text" ? Effect.forkDetach(session.interrupt) : Effect.void)),
        Stream.runCollect
      )
      assert.strictEqual(lastOf(events).outcome, "aborted")
    }).pipe(
      Effect.scoped,
      Effect.provide(InstalledFake.layer(FakeCli.live(id, [[LiveStep.text("begun"), LiveStep.hang()]]), { killGrace }))
    )
  )
})

describe.each(["claude", "codex", "pi"] as const)("%s", (id) => {
  it.live("asks questions and takes texts in mid-turn", () =>
    Effect.gen(function* () {
      const agent = yield* AgentRuntime
      const questions = { handler: () => Effect.succeed({ "Which?": ["Red"] }) }
      const session = yield* agent.open({ questions })
      const events = yield* session.turn("go").pipe(
        Stream.tap((event) =>
          event.type === "text" && event.text.includes("now") ? Effect.asVoid(session.send("faster")) : Effect.void
        ),
        Stream.runCollect
      )
      assert.deepStrictEqual(typed(events, "question_answer")[0]?.answers, { "Which?": ["Red"] })
      assert.include(lastOf(events).text, "steered: faster")
    }).pipe(
      Effect.scoped,
      Effect.provide(
        InstalledFake.layer(
          FakeCli.live(id, [
            [
              LiveStep.question({ question: "Which?", options: ["Red", "Green"] }),
              LiveStep.text("now"),
              LiveStep.steered()
            ]
          ]),
          { killGrace }
        )
      )
    )
  )
})

describe.each(["gemini", "opencode", "acp"] as const)("%s", (id) => {
  it.each([
    ["cannot ask", LiveStep.question({ question: "Which?", options: ["Red"] }), /step 1 \(question\) of turn 1/],
    ["takes no text in mid-turn", LiveStep.steered(), /step 1 \(steered\) of turn 1/]
  ])("%s, and its script says so", (_, step, message) => {
    assert.throws(() => FakeCli.live(id, [[step]]), message)
  })
})

it.each([LiveStep.command({ command: "ls", ask: true }), LiveStep.write({ path: "a", ask: true })])(
  "pi never asks for a permission, and its script says so: $type",
  (step) => {
    assert.throws(() => FakeCli.live("pi", [[step]]), /of turn 1 of a live fake: cannot ask: Pi never asks/)
  }
)

it("a question to pi has one answer, and its script says so", () => {
  const question = LiveStep.question({ question: "Which?", options: ["Red"], multiple: true })
  assert.throws(() => FakeCli.live("pi", [[question]]), /takes one answer: a dialog of Pi has no more/)
})

describe("a script", () => {
  it.each([
    ["of no turns", [], /needs an array of turns/],
    ["behind its end", [[LiveStep.exit(0), LiveStep.text("?")]], /is never reached: exit is the last of a turn/],
    ["of no steps", [[null as unknown as LiveStep]], /is not a step/]
  ])("%s is refused", (_, turns, message) => {
    assert.throws(() => FakeCli.live("claude", turns), message)
  })
})

it.live.each(ids)("a fake of runs that %s opens live says so at once", (id) =>
  Effect.gen(function* () {
    const agent = yield* AgentRuntime
    const error = yield* Effect.flip(Effect.scoped(agent.open()))
    assert.include(error.result.stderrTail, "started for a live session, which is not in its script; FakeCli.live can")
  }).pipe(Effect.provide(InstalledFake.layer(FakeCli[id]([Step.text("hello")]), { killGrace })))
)

it.live.each(ids)("a live fake that %s starts for a run says so at once", (id) =>
  Effect.gen(function* () {
    const agent = yield* AgentRuntime
    const error = yield* Effect.flip(agent.run({ prompt: "hello" }))
    assert.include(error.result.stderrTail, "started for a run, which is not in its script")
  }).pipe(Effect.provide(InstalledFake.layer(FakeCli.live(id, [[LiveStep.text("hello")]]), { killGrace })))
)

it("serves the plain door, and is told by its calls", async () => {
  await using cli = await FakeCli.install(FakeCli.live("claude", [[LiveStep.write({ path: "a.txt", ask: true })]]))
  await using agent = createAgent("claude", { command: cli.command })
  await using session = await agent.open({ onPermission: ({ paths }) => ({ decision: paths ? "allow" : "deny" }) })
  const decisions: Array<string> = []
  for await (const event of session.turn("go")) if (event.type === "permission_decision") decisions.push(event.decision)
  assert.deepStrictEqual([decisions, cli.calls().length], [["allow"], 1])
})

it("is an agent of the Agent Client Protocol", async () => {
  await using cli = await FakeCli.install(FakeCli.live("acp", [[LiveStep.text("Hello.")]]))
  await using agent = createAcpAgent({ command: cli.command })
  assert.strictEqual((await agent.run({ prompt: "hello" })).text, "Hello.")
})
