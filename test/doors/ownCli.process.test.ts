/** A CLI that an application has added, by both doors, with a real process: a run and a live session as of any other. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Result, Stream } from "effect"
import { createBridge } from "../../src/bridge/promise/CreateBridge.ts"
import { type AgentFailed, AgentRuntime, Approvals, type Cli } from "../../src/index.ts"
import { type AgentEvent, type CliId, createAgent } from "../../src/promise.ts"
import { killGrace, programPath } from "../kit/agent.ts"
import { errorOf, resultOf, textOf } from "../kit/events.ts"
import { translate } from "../kit/translate.ts"
import { tern } from "../package/fifthCli/tern.ts"
import { ternLive } from "../package/fifthCli/ternLive.ts"

const options = { command: programPath("tern"), killGrace } as const

const collect = (cli: Cli.Cli, prompt: string) =>
  AgentRuntime.use((agent) => Stream.runCollect(agent.execute({ prompt }))).pipe(
    Effect.provide(AgentRuntime.layer(cli, options).pipe(Layer.provide(NodeServices.layer)))
  )

const kindsOf = (events: ReadonlyArray<AgentEvent>) => events.map(({ type }) => type)

describe("a run of a CLI of one's own", () => {
  it("gets what its plan says, with a private file", async () => {
    await using agent = createAgent(tern, options)
    const params = {
      prompt: "show",
      sessionId: "old",
      model: "swift",
      systemPrompt: "Be brief.",
      extraArgs: ["--loud"]
    }
    const { text, sessionId } = await agent.run(params)
    assert.match(text, /^--json --resume=old --model=swift --rules=\S+\/rules\.md --loud\|Be brief\.$/)
    assert.strictEqual(sessionId, "old")
    assert.strictEqual(agent.cli, "tern")
  })

  it.live("fails with the reason that its verdict has", () =>
    Effect.gen(function* () {
      const events = yield* collect(tern, "fail")
      assert.deepInclude(errorOf(events), { code: "tern_problem", message: "the nest is empty" })
      assert.strictEqual(resultOf(events).reason, "agent_failed")
    })
  )

  it("is refused what it does not support, and can be aborted", async () => {
    await using agent = createAgent(tern, options)
    const refused = await Array.fromAsync(agent.execute({ prompt: "hi", effort: "high" }))
    assert.deepInclude(errorOf(refused), { code: "unsupported_option", message: "tern does not support effort" })
    const stop = new AbortController()
    const events: Array<AgentEvent> = []
    for await (const event of agent.execute({ prompt: "wait", abortSignal: stop.signal })) {
      events.push(event)
      if (event.type === "text") stop.abort()
    }
    assert.strictEqual(resultOf(events).outcome, "aborted")
  })

  it.live("survives a step that throws: the line is kept, with a warning", () =>
    Effect.gen(function* () {
      const broken: Cli.Cli = {
        ...tern,
        decoder: (params) => {
          const decoder = tern.decoder(params)
          const step = (json: unknown) => {
            if (JSON.stringify(json).includes('"say"')) throw new Error("a bug of the application's")
            return translate(decoder, json)
          }
          return { ...decoder, stages: (use) => use((json) => json, step) }
        }
      }
      const events = yield* collect(broken, "hello")
      assert.deepStrictEqual(kindsOf(events), ["session", "notice", "unknown", "done"])
      assert.strictEqual(resultOf(events).outcome, "completed")
    })
  )
})

describe("a bug of a CLI of one's own", () => {
  const bug = () => {
    throw new Error("a bug of the application's")
  }

  const none = { _tag: "Failure" } as unknown as Cli.Verdict // as JavaScript would
  it.each([
    ["verdict", { ...tern, decoder: (params) => ({ ...tern.decoder(params), verdict: () => none }) }],
    ["plan", { ...tern, plan: () => Result.fail("no" as unknown as AgentFailed) }]
  ] satisfies ReadonlyArray<readonly [string, Cli.Cli]>)(
    "in %s, a failure without a reason, rejects the run: it is not a success",
    async (_, broken) => {
      await using agent = createAgent(broken, options)
      assert.instanceOf(await agent.run({ prompt: "hello" }).catch((error: unknown) => error), TypeError)
    }
  )

  it("that makes ends and errors itself makes events of unknown meaning", async () => {
    const forged = [{ type: "done" }, { type: "turn_done" }, { type: "error" }] as unknown as ReadonlyArray<AgentEvent>
    const forging: Cli.Cli = {
      ...tern,
      decoder: (params) => {
        const decoder = tern.decoder(params)
        const step = (json: unknown) => [...forged, ...translate(decoder, json)]
        return { ...decoder, stages: (use) => use((json) => json, step) }
      }
    }
    await using agent = createAgent(forging, options)
    const events = await Array.fromAsync(agent.execute({ prompt: "hello" }))
    const kinds = kindsOf(events).filter((kind) => ["done", "turn_done", "error"].includes(kind))
    assert.deepStrictEqual([kinds, kindsOf(events).at(-1)], [["done"], "done"])
  })

  it.each([false, true])(
    "in the dialogue of a session ends the turn and the session, behind a gate: %s",
    async (is) => {
      const broken: Cli.Cli = {
        ...ternLive,
        ...(ternLive.live && {
          live: {
            ...ternLive.live,
            dialogue: (...input) => ({ ...(ternLive.live as Cli.Live).dialogue(...input), turn: bug })
          }
        })
      }
      const gates = is ? [{ name: "test", admit: () => ({}) }] : []
      await using agent = createAgent(broken, { ...options, gates })
      await using session = await agent.open()
      const events = await Array.fromAsync(session.turn("hello"))
      assert.deepStrictEqual(kindsOf(events).slice(-2), ["error", "turn_done"])
    }
  )

  it.each([
    ["plan", { ...tern, plan: bug }],
    ["verdict", { ...tern, decoder: (params) => ({ ...tern.decoder(params), verdict: bug }) }],
    ["standing", { ...tern, decoder: (params) => ({ ...tern.decoder(params), standing: bug }) }]
  ] satisfies ReadonlyArray<readonly [string, Cli.Cli]>)(
    "in %s rejects the run with its own error",
    async (_, broken) => {
      await using agent = createAgent(broken, options)
      const error = await agent.run({ prompt: "hello" }).catch((error: unknown) => error)
      assert.strictEqual(error instanceof Error ? error.message : error, "a bug of the application's")
    }
  )
})

describe("a live session of a CLI of one's own", () => {
  it("has turns, decisions by a rule and by the caller, and ends well", async () => {
    await using agent = createAgent(ternLive, options)
    await using session = await agent.open({ approvals: [Approvals.allow({ commands: ["ls *"] }), Approvals.ask()] })
    const decisions: Array<string> = []
    const turn = async (prompt: string) => {
      const events: Array<AgentEvent> = []
      for await (const event of session.turn(prompt)) {
        events.push(event)
        if (event.type === "permission_request" && event.command === "rm -r .")
          await session.decide(event.requestId, { decision: "deny", message: "Not here." })
        if (event.type === "permission_decision") decisions.push(`${event.decision} ${event.by}`)
      }
      return events
    }
    assert.strictEqual(textOf(await turn("run ls -l")), "It is done.")
    const denied = await turn("run rm -r .")
    assert.strictEqual(textOf(denied), "It was not run.")
    assert.deepStrictEqual(decisions, ["allow rule", "deny caller"])
    const result = denied.find(({ type }) => type === "tool_result")
    assert.deepInclude(result, { output: "Not here.", isError: true })
    assert.strictEqual(textOf(await turn("hello")), "You said: hello")
  })

  it("can be interrupted, and goes on", async () => {
    await using agent = createAgent(ternLive, options)
    await using session = await agent.open()
    for await (const event of session.turn("wait")) {
      if (event.type === "text") void session.interrupt()
      if (event.type === "turn_done") assert.strictEqual(event.result.outcome, "aborted")
    }
    const problem = await session.setModel("swift").catch((error: unknown) => String(error))
    assert.include(problem, "Tern cannot change its Model")
    const events = await Array.fromAsync(session.turn("hello"))
    assert.strictEqual(textOf(events), "You said: hello")
  })
})

const message = (text: string) => ({
  conversation: { channel: "own", accountId: "a", chatId: "ann" },
  ...{ updateId: text, chat: "direct" as const, sentAt: 0, sender: { id: "ann", isBot: false }, text },
  ...{ attachments: [], addressed: true }
})

it("an agent of createBridge can be a CLI of one's own", async () => {
  const agents = { bird: { cli: tern, command: programPath("tern") } }
  await using bridge = createBridge({ agents, access: { owners: ["ann"] }, live: false, store: { memory: true } })
  const { payloads } = await bridge.handle(message("hello"))
  assert.deepStrictEqual(
    payloads.map(({ text }) => text),
    ["You said: hello"]
  )
})

it("an invalid CLI is refused by name", () => {
  assert.throws(() => createAgent("tern" as CliId), /"tern" is not one of claude, gemini, codex, opencode, pi/) // as JavaScript would
  assert.throws(() => createAgent({} as Cli.Cli), /is not one of claude/) // as above
})

describe("a CLI for another version of the contract", () => {
  // From JavaScript, or by a later version of the package: the types do not allow it.
  const later = { ...ternLive, contract: 2, models: { dialogue: () => ({}), plan: () => ({}) } } as unknown as Cli.Cli
  const problem = /^contract: the CLI "tern" was made for version 2 of Cli, and this version of Reins takes version 1: /

  it("is refused by the plain doors at once", () => {
    assert.throws(() => createAgent(later, options), TypeError, /^createAgent: contract: the CLI "tern" was made for /)
    assert.throws(
      () => createBridge({ agents: { tern: { cli: later } } }),
      TypeError,
      /^createBridge: agents\.tern: contract: the CLI "tern" was made for version 2 of Cli/
    )
  })

  it.live("fails runs, live sessions and models before anything is started", () =>
    Effect.gen(function* () {
      const agent = yield* AgentRuntime
      const failures = [
        yield* Effect.flip(agent.run({ prompt: "hi" })),
        yield* Effect.flip(agent.open()),
        yield* Effect.flip(agent.models())
      ]
      for (const { cli, reason } of failures) {
        assert.strictEqual(cli, "tern")
        assert.strictEqual(reason._tag, "InvalidParams")
        assert.match(reason.message, problem)
      }
      assert.deepInclude(errorOf(yield* Stream.runCollect(agent.execute({ prompt: "hi" }))), { code: "invalid_params" })
    }).pipe(
      Effect.scoped,
      Effect.provide(AgentRuntime.layer(later, { command: "/no/such/program" }).pipe(Layer.provide(NodeServices.layer)))
    )
  )
})
