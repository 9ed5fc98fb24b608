/** The stack of an error begins at the line of the caller, caught or not, in both doors. */
import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import { inspect } from "node:util"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { AgentRuntime, Claude } from "../../src/index.ts"
import { AgentError, createAcpAgent, createAgent } from "../../src/promise.ts"
import { FakeCli, LiveStep } from "../../src/testing.ts"
import { rejection } from "./plain.ts"

const options = { command: "/no/such/cli" }

/** The first line of its stack. */
const placeOf = (error: unknown) => {
  assert.instanceOf(error, Error)
  return error.stack?.split("\n").find((line) => /^\s+at /.test(line))
}

const isHere = (error: unknown) => assert.include(placeOf(error), import.meta.filename)

const thrown = (call: () => unknown) => {
  try {
    call()
  } catch (error) {
    return error
  }
  return assert.fail("it did not throw")
}

describe("the plain door", () => {
  it("places errors of runs and openings", async () => {
    const agent = createAgent("claude", options)
    isHere(await rejection(agent.run({ prompt: "hello" })))
    isHere(await rejection(agent.open()))
    await agent.close()
    isHere(await rejection(agent.run({ prompt: "hello" })))
  })

  it("places errors of a session", async () => {
    await using cli = await FakeCli.install(FakeCli.live("claude", [[LiveStep.text("hi")]]))
    await using agent = createAgent("claude", { command: cli.command })
    const session = await agent.open()
    for (const call of [
      () => session.send(""),
      () => session.setModel(""),
      () => session.decide("1", { decision: "allow", remember: "" }),
      () => session.answer("1", { question: [] })
    ]) {
      const error = await call().catch((reason: unknown) => reason)
      if (error instanceof AgentError) isHere(error)
    }
    isHere(await rejection(session.send("")))
    isHere(await rejection(session.setModel("")))
  })

  it("places invalid options", () => {
    isHere(thrown(() => createAgent("claude", { maxLineBytes: -1 })))
    isHere(thrown(() => createAcpAgent({ command: "x", maxLineBytes: -1 })))
  })
})

it.effect("the Effect door places them, too", () =>
  Effect.gen(function* () {
    const agent = yield* AgentRuntime
    isHere(yield* Effect.flip(agent.run({ prompt: "hello" })))
    isHere(yield* Effect.flip(agent.open()))
  }).pipe(Effect.scoped, Effect.provide(Claude.layer(options).pipe(Layer.provide(NodeServices.layer))))
)

describe("an uncaught error", () => {
  const script = fileURLToPath(new URL("./hosts/uncaught.ts", import.meta.url))

  it.each(["run", "open", "effect"])("of %s: message, the caller's line, the cure; nothing twice", (way) => {
    const { status, stderr } = spawnSync(process.execPath, [script, way], { encoding: "utf8" })
    assert.notStrictEqual(status, 0)
    const [message = "", place = "", ...others] = stderr.slice(stderr.indexOf("AgentError: ")).split("\n")
    assert.match(message, /^AgentError: claude: "\/no\/such\/cli" was not found\. Install it: /)
    assert.include(place, "hosts/uncaught.ts")
    assert.match(others.join("\n"), /code: 'not_installed',\n {2}help: 'Install it: /)
    assert.strictEqual(stderr.split("AgentError: ").length, 2)
    assert.notMatch(stderr, /a prompt|durationMs|reason:|src\/(run|engine)\//)
  })

  it("of options is a TypeError at the line of the caller", () => {
    const { stderr } = spawnSync(process.execPath, [script, "options"], { encoding: "utf8" })
    assert.match(stderr, /TypeError: createAgent: maxLineBytes: Expected a number above 0\n.*hosts\/uncaught\.ts/)
  })
})

it("a printed error has no text of the run", async () => {
  await using agent = createAgent("claude", options)
  const error = await rejection(agent.run({ prompt: "a long secret prompt", systemPrompt: "another one" }))
  assert.notMatch(inspect(error, { depth: null, showHidden: false }), /secret prompt|another one/)
})
