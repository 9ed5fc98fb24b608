/** Default model, directory and parameters of an agent, as its CLI gets them: in runs and sessions, of both doors. */
import { mkdtempSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { type AgentDefaults, AgentRuntime, Claude } from "../../src/index.ts"
import { AgentError, createAcpAgent, createAgent } from "../../src/promise.ts"
import { FakeCli, LiveStep, Step } from "../../src/testing.ts"
import { InstalledFake } from "../../src/testingEffect.ts"
import { rejection } from "./plain.ts"

const directory = realpathSync(mkdtempSync(join(tmpdir(), "defaults-")))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

const defaults: AgentDefaults = { model: "opus", workingDirectory: directory, env: { DEFAULT: "1", OTHER: "1" } }

/** The argument, whichever way it stands on the command line. */
const modelOf = (args: ReadonlyArray<string>) => /(?<=--model[= ])\S+/.exec(args.join(" "))?.[0]

describe("defaults", () => {
  it("are those of every run, and a call overrides them by name", async () => {
    await using cli = await FakeCli.install(FakeCli.claude([Step.text("hi")]))
    await using agent = createAgent("claude", { command: cli.command, defaults })
    await agent.run({ prompt: "x" })
    await agent.run({ prompt: "x", model: "haiku", workingDirectory: tmpdir(), env: { OTHER: "2" } })
    const [first, second] = cli.calls()
    if (first === undefined || second === undefined) return assert.fail("two calls")
    assert.deepStrictEqual([modelOf(first.arguments), first.workingDirectory], ["opus", directory])
    assert.deepStrictEqual([first.environment["DEFAULT"], first.environment["OTHER"]], ["1", "1"])
    assert.deepStrictEqual([modelOf(second.arguments), second.workingDirectory], ["haiku", realpathSync(tmpdir())])
    assert.deepStrictEqual([second.environment["DEFAULT"], second.environment["OTHER"]], ["1", "2"])
  })

  it("are those of every live session", async () => {
    await using cli = await FakeCli.install(FakeCli.live("claude", [[LiveStep.text("hi")]]))
    await using agent = createAgent("claude", { command: cli.command, defaults })
    await agent.open()
    const [call] = cli.calls()
    assert.strictEqual(call?.workingDirectory, directory)
    assert.strictEqual(modelOf(call?.arguments ?? []), "opus")
  })

  it.effect("are options of a layer", () =>
    Effect.gen(function* () {
      const cli = yield* InstalledFake.make(FakeCli.claude([Step.text("hi")]))
      const layer = Claude.layer({ command: cli.command, defaults }).pipe(Layer.provide(NodeServices.layer))
      yield* Effect.provide(
        AgentRuntime.use(({ run }) => run({ prompt: "x" })),
        layer
      )
      assert.deepStrictEqual(
        cli.calls().map((call) => modelOf(call.arguments)),
        ["opus"]
      )
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )

  it("are checked when the agent is created", () => {
    const wrong = (options: unknown) => () => createAgent("codex", options as { defaults: AgentDefaults })
    assert.throws(wrong({ defaults: { modle: "x" } }), TypeError, /^createAgent: defaults\.modle: is not a known field/)
    assert.throws(
      wrong({ defaults: { prompt: "x" } }),
      TypeError,
      /^createAgent: defaults\.prompt: is not a known field/
    )
    assert.throws(wrong({ defaults: { maxTurns: 3 } }), TypeError, "createAgent: codex does not support maxTurns")
    const acp = () => createAcpAgent({ command: "x", defaults: { maxTurns: 3 } })
    assert.throws(acp, TypeError, "createAcpAgent: acp does not support maxTurns")
  })

  it("are typed by the CLI", () => {
    const wrong = [
      // @ts-expect-error Codex has no maxTurns.
      () => createAgent("codex", { defaults: { maxTurns: 3 } }),
      // @ts-expect-error A session belongs to one call.
      () => createAgent("claude", { defaults: { sessionId: "s" } })
    ]
    for (const call of wrong) assert.throws(call, TypeError)
    createAgent("claude", { defaults: { maxTurns: 3, model: "opus" } })
  })

  it.effect("fail the runs of a layer whose CLI does not support them", () =>
    Effect.gen(function* () {
      const layer = Claude.layer({ command: "/no/such", defaults: { effort: "hugest" } })
      const error = yield* Effect.flip(AgentRuntime.use(({ run }) => run({ prompt: "x" })).pipe(Effect.provide(layer)))
      assert.strictEqual(error.code, "invalid_params")
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it("that name no directory fail the run, by the option's name", async () => {
    await using agent = createAgent("claude", { defaults: { workingDirectory: join(directory, "none") } })
    const error = await rejection(agent.run({ prompt: "x" }))
    assert.instanceOf(error, AgentError)
    assert.match(error.message, /^claude: workingDirectory: .* does not exist$/)
  })
})
