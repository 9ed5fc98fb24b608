/** `models()` in both doors: real processes that list, fail, are silent or are left; none of them survives. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { AgentRuntime, OpenCode } from "../../src/index.ts"
import { AgentError, type AgentModels, createAgent } from "../../src/promise.ts"
import { testAgent } from "../../src/testing.ts"
import { killGrace, program } from "../kit/agent.ts"
import { rejection } from "./plain.ts"

const two: AgentModels = {
  type: "listed",
  models: [{ id: "fake/one", name: "One" }, { id: "fake/two" }]
}

const agentOver = (name: string, ...args: ReadonlyArray<string>) =>
  createAgent("opencode", { ...program(name, ...args), killGrace, timeouts: { startup: 1_500 } })

const failing = async (promise: Promise<unknown>) => {
  const error = await rejection(promise)
  assert.instanceOf(error, AgentError)
  assert.include(error.stack?.split("\n")[1], import.meta.filename)
  return error
}

describe("models()", () => {
  it("gives the list, anew each time", async () => {
    await using agent = agentOver("lists-models", "0")
    assert.deepStrictEqual(await agent.models(), two)
    assert.deepStrictEqual(await agent.models({ workingDirectory: "/" }), two)
  })

  it.effect("is an Effect of the other door", () =>
    AgentRuntime.use(({ models }) => Effect.map(models(), (answer) => assert.deepStrictEqual(answer, two))).pipe(
      Effect.provide(OpenCode.layer(program("lists-models", "0")).pipe(Layer.provide(NodeServices.layer)))
    )
  )

  it("fails with what the process says of itself, and lists nothing by halves", async () => {
    await using agent = agentOver("lists-models", "3")
    const { reason } = await failing(agent.models())
    assert.deepInclude(reason, { _tag: "Exited", exitCode: 3 })
    assert.match(reason.message, /exit code 3: pid \d+$/)
  })

  it("fails for missing commands, and for invalid params", async () => {
    await using agent = createAgent("opencode", { command: "/no/such/opencode" })
    assert.strictEqual((await failing(agent.models())).code, "not_installed")
    const wrong = { cwd: "/" } as unknown as { workingDirectory: string }
    assert.match((await failing(agent.models(wrong))).message, /^opencode: cwd: is not a known field/)
  })

  it("waits no longer than it may", async () => {
    await using agent = agentOver("forever")
    assert.deepInclude((await failing(agent.models())).reason, { _tag: "TimedOut", budgetMs: 1_500 })
  })

  it("is aborted by its signal, and by the end of the agent", async () => {
    await using agent = agentOver("forever")
    const controller = new AbortController()
    const request = failing(agent.models({ abortSignal: controller.signal }))
    controller.abort()
    assert.strictEqual((await request).code, "aborted")
    const left = failing(agent.models())
    await agent.close()
    assert.strictEqual((await left).code, "aborted")
    assert.strictEqual((await failing(agent.models())).message, "opencode: The agent is closed")
  })

  it("an agent without a process has no list", async () => {
    assert.deepStrictEqual(await testAgent([]).models(), { type: "unlisted" })
  })
})
