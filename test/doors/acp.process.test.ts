/** Any agent of the Agent Client Protocol, as a real process: runs and sessions of it come out as of any other. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, layer, it as plainIt } from "@effect/vitest"
import { Effect, Fiber, Layer, Stream } from "effect"
import { AgentRuntime } from "../../src/agents/AgentRuntime.ts"
import * as Approvals from "../../src/agents/Approvals.ts"
import { Acp } from "../../src/index.ts"
import { createAcpAgent, createAgent } from "../../src/promise.ts"
import { programPath } from "../kit/agent.ts"

const agent = Acp.layer({
  command: process.execPath,
  baseArgs: [programPath("acp-agent")],
  args: ["--acp"],
  id: "mine"
}).pipe(Layer.provide(NodeServices.layer))

const named = Acp.named("cline", { command: process.execPath, baseArgs: [programPath("acp-agent")] }).pipe(
  Layer.provide(NodeServices.layer)
)

const types = (events: ReadonlyArray<{ readonly type: string }>) => events.map(({ type }) => type)

describe("an agent of the protocol", () => {
  plainIt("is there for those who do not use Effect, too", async () => {
    await using plain = createAcpAgent({
      command: process.execPath,
      args: [programPath("acp-agent"), "--acp"],
      id: "mine"
    })
    assert.deepInclude(await plain.run({ prompt: "hello" }), { outcome: "completed", text: "hello" })
    await using session = await plain.open({ onPermission: () => ({ decision: "allow" }) })
    const done = (await Array.fromAsync(session.turn("ask"))).at(-1)
    assert.isTrue(done?.type === "turn_done" && done.result.text === "done")
    assert.throws(() => createAcpAgent({ command: "x", maxLineBytes: 0 }), TypeError)
    // as a caller in JavaScript may write
    assert.throws(() => createAcpAgent({ command: "x", usage: "day" as "turn" }), "usage: is not one of turn, session")
    for (const usage of ["turn", "session", "answer"] as const) {
      await createAcpAgent({ command: "x", usage })[Symbol.asyncDispose]()
    }
  })

  plainIt("is known by its name, and may have another program", async () => {
    await using copilot = createAgent("copilot", {
      command: process.execPath,
      baseArgs: [programPath("acp-agent")],
      defaults: { model: undefined, permissionMode: "bypass" }
    })
    assert.strictEqual(copilot.cli, "copilot")
    assert.deepInclude(await copilot.run({ prompt: "ask" }), { outcome: "completed", text: "done" })
    await using session = await copilot.open()
    const turn = async () => (await Array.fromAsync(session.turn("hello"))).at(-1)
    const usages = [await turn(), await turn()].map((last) => (last?.type === "turn_done" ? last.result.usage : last))
    // The program reports 7 and 3 with each turn, which are totals of the session for this agent.
    assert.deepStrictEqual(usages, [
      { inputTokens: 7, outputTokens: 3 },
      { inputTokens: 0, outputTokens: 0 }
    ])
    const refused = await copilot.run({ prompt: "hello", model: "m" }).catch((error: unknown) => error)
    assert.match(String(refused), /copilot/)
    await using missing = createAgent("qwen", { command: "/nowhere/qwen" })
    const error = await missing.run({ prompt: "hello" }).catch((problem: unknown) => problem)
    assert.match(String(error), /npm install -g @qwen-code\/qwen-code\. Then sign in: run `qwen` once/)
    assert.throws(() => createAgent("copilot", { baseArgs: "--acp" as never }), TypeError, "baseArgs")
  })

  layer(agent, { excludeTestServices: true })((it) => {
    it.effect("runs", () =>
      Effect.gen(function* () {
        const { cli, execute, run } = yield* AgentRuntime
        assert.strictEqual(cli, "mine")
        const events = yield* Stream.runCollect(execute({ prompt: "hello" }))
        assert.deepStrictEqual(types(events), ["session", "text", "done"])
        assert.deepInclude(events[0], { type: "session", sessionId: "s1", cliVersion: "9.9" })
        const result = yield* run({ prompt: "hello" })
        const usage = { inputTokens: 7, outputTokens: 3 }
        assert.deepInclude(result, { outcome: "completed", text: "hello", sessionId: "s1", stopReason: "end_turn" })
        assert.deepStrictEqual(result.usage, usage)
      })
    )

    it.effect("is denied what it asks for in a run, but for what the mode allows", () =>
      Effect.gen(function* () {
        const { run } = yield* AgentRuntime
        assert.strictEqual((yield* run({ prompt: "ask" })).text, "not done")
        assert.strictEqual((yield* run({ prompt: "ask", permissionMode: "accept-edits" })).text, "done")
        assert.strictEqual((yield* run({ prompt: "ask", permissionMode: "bypass" })).text, "done")
      })
    )

    it.effect("fails as it says, and is refused what it does not have", () =>
      Effect.gen(function* () {
        const { execute, run } = yield* AgentRuntime
        const failed = yield* Effect.flip(run({ prompt: "refuse" }))
        assert.deepInclude(failed.reason, { _tag: "AgentFailed", category: "rate_limit" })
        assert.strictEqual(failed.result.sessionId, "s1")
        const died = yield* Effect.flip(run({ prompt: "die" }))
        assert.deepInclude(died.reason, { _tag: "Exited", exitCode: 3 })
        const events = yield* Stream.runCollect(execute({ prompt: "hello", systemPrompt: "be" }))
        assert.deepStrictEqual(types(events), ["error", "done"])
        const locked = { command: "none" }
        const unopened = yield* Effect.flip(run({ prompt: "hello", mcpServers: { locked } }))
        assert.deepInclude(unopened.reason, { _tag: "AgentFailed", category: "auth" })
        const requested = [
          { sessionId: "old" },
          { model: "m" },
          { effort: "high" },
          { permissionMode: "plan" }
        ] as const
        for (const params of requested) {
          const refused = yield* Effect.flip(run({ prompt: "hello", ...params }))
          assert.strictEqual(refused.reason._tag, "UnsupportedOption")
        }
      })
    )

    it.effect("ends with the signal of its caller", () =>
      Effect.gen(function* () {
        const { execute } = yield* AgentRuntime
        const controller = new AbortController()
        const events = yield* Stream.runCollect(
          Stream.tap(execute({ prompt: "wait", abortSignal: controller.signal }), ({ type }) =>
            Effect.sync(() => type === "session" && controller.abort())
          )
        )
        const done = events.at(-1)
        assert.isTrue(done?.type === "done" && done.result.aborted)
      })
    )

    it.effect("holds a session that asks, is interrupted, and goes on", () =>
      Effect.gen(function* () {
        const runtime = yield* AgentRuntime
        const approvals = [
          Approvals.allow({ paths: ["a.txt"], kinds: ["file_change"] }),
          Approvals.allow({ tools: ["edit"] })
        ]
        const session = yield* runtime.open({ approvals })
        const request = yield* Stream.runCollect(session.turn("ask"))
        assert.deepStrictEqual(types(request), [
          "tool_use",
          "permission_request",
          "permission_decision",
          "tool_result",
          "text",
          "turn_done"
        ])
        const turn = yield* Effect.forkChild(Stream.runCollect(session.turn("wait")))
        yield* Effect.repeat(session.interrupt, { until: (wasUnderWay) => wasUnderWay })
        const done = (yield* Fiber.join(turn)).at(-1)
        assert.isTrue(done?.type === "turn_done" && done.result.aborted)
        const last = (yield* Stream.runCollect(session.turn("on"))).at(-1)
        assert.isTrue(last?.type === "turn_done" && last.result.text === "on")
      })
    )
  })
  layer(named, { excludeTestServices: true })((it) => {
    it.effect("is a layer by its name", () =>
      Effect.gen(function* () {
        const { cli, run } = yield* AgentRuntime
        assert.strictEqual(cli, "cline")
        assert.strictEqual((yield* run({ prompt: "hello" })).text, "hello")
      })
    )
  })
})
