/** Calls that are live sessions: approvals and questions of all CLIs, tools of the AI SDK of Claude Code's own protocol. */
import { generateText, tool } from "ai"
import { assert, describe, expect, it } from "vitest"
import { z } from "zod"
import { createReins, reins } from "../../../src/aiSdk.ts"
import { hostToolsOf } from "../../../src/api/aiSdk/model.ts"
import { type CallContext, createAgent } from "../../../src/promise.ts"
import { LiveStep, testAgent } from "../../../src/testing.ts"
import { askers } from "../../kit/live.ts"
import { assertAllDead } from "../../kit/processes.ts"
import { ids } from "../../testing/kit.ts"
import { liveModelOf, modelOf, rejection } from "./kit.ts"

// Warnings are looked at in results.
globalThis.AI_SDK_LOG_WARNINGS = false

const context: CallContext = { signal: new AbortController().signal }

describe.each(askers)("%s", (id) => {
  const asking = LiveStep.command({ command: "rm -rf build", output: "gone", ask: true })

  it("asks before it acts, in a session of one turn, of which nothing is left", async () => {
    const requested: Array<string | undefined> = []
    await using fake = await liveModelOf(id, [asking, LiveStep.text("done")], {
      onPermission: (request) => {
        requested.push(request.command)
        return { decision: "allow" }
      }
    })
    const result = await generateText({ model: fake.model, prompt: "clear it" })
    expect(requested).toEqual(["rm -rf build"])
    expect(result.toolResults).toMatchObject([{ output: expect.stringContaining("gone") }])
    expect(result.text).toContain("done")
    expect(result.providerMetadata?.["reins"]).toMatchObject({ cli: id, sessionId: expect.any(String) })
    assertAllDead(fake.cli.calls().map(({ pid }) => pid))
  })

  it("ends when its call is aborted while a request is open", async () => {
    const controller = new AbortController()
    await using fake = await liveModelOf(id, [asking], {
      onPermission: () => {
        controller.abort(new Error("the person has left"))
        return new Promise(() => undefined)
      }
    })
    const call = generateText({ model: fake.model, prompt: "clear it", abortSignal: controller.signal })
    expect(await rejection(call)).toMatchObject({ message: "the person has left" })
    assertAllDead(fake.cli.calls().map(({ pid }) => pid))
  })
})

describe.each(ids)("%s", (id) => {
  it("that cannot be opened is an error of the AI SDK", async () => {
    const model = reins(id, { command: "/no/such", onPermission: () => ({ decision: "deny" }) })
    expect(await rejection(generateText({ model, prompt: "?", maxRetries: 0 }))).toMatchObject({
      name: "AI_APICallError",
      isRetryable: false,
      data: { code: "not_installed" }
    })
  })
})

describe("tools of the AI SDK", () => {
  const add = tool({
    description: "Adds.",
    inputSchema: z.object({ a: z.number(), b: z.number().default(40) }),
    execute: async ({ a, b }, { abortSignal, messages }) => ({ sum: a + b, aborted: abortSignal?.aborted, messages })
  })

  it("are host tools: their schema, their input checked, their result", async () => {
    const [host] = await hostToolsOf({ add })
    assert.deepInclude(host, { name: "add", description: "Adds." })
    assert.deepNestedInclude(host, { "inputSchema.type": "object", "inputSchema.properties.a": { type: "number" } })
    assert.deepStrictEqual(await host?.run({ a: 2 }, context), { sum: 42, aborted: false, messages: [] })
    const problem = await rejection(Promise.resolve(host?.run({ a: "2" }, context)))
    assert.match(String(problem), /expected number/)
  })

  it("that yield give their last value", async () => {
    const slow = tool({
      inputSchema: z.object({}),
      execute: async function* () {
        yield "working"
        yield "done"
      }
    })
    const [host] = await hostToolsOf({ slow })
    assert.strictEqual(await host?.run({}, context), "done")
    assert.strictEqual(host?.description, "slow")
  })

  it("without an execute are refused", async () => {
    const model = reins(testAgent([]), { hostTools: { add: tool({ inputSchema: z.object({}) }) } })
    assert.match(String(await rejection(generateText({ model, prompt: "?" }))), /hostTools: add has no execute/)
  })

  it("of a call cause a warning, and those of the agent stay", async () => {
    await using fake = await modelOf("claude", [])
    const { warnings } = await generateText({ model: fake.model, prompt: "?", tools: { add } })
    expect(warnings).toMatchObject([
      { type: "unsupported", feature: "tools", details: expect.stringContaining("hostTools") }
    ])
  })
})

describe("models", () => {
  it("are named by their CLI, and by its model", async () => {
    assert.deepInclude(reins("codex"), { modelId: "codex", provider: "reins.codex", specificationVersion: "v4" })
    await using fake = await modelOf("opencode", [])
    const model = createReins({ command: fake.cli.command, defaults: { env: { A: "1" } } })("opencode/a/b-c", {
      defaults: { workingDirectory: "/" }
    })
    await generateText({ model, prompt: "?" })
    const [call] = fake.cli.calls()
    expect(call).toMatchObject({ environment: { A: "1" }, workingDirectory: "/" })
    expect(call?.arguments).toContain("--model=a/b-c")
  })

  it("are over any agent", async () => {
    const model = reins(testAgent(({ prompt }) => [{ type: "text", text: `You said ${prompt}.` }]))
    assert.strictEqual((await generateText({ model, prompt: "hi" })).text, "You said hi.")
  })

  it("of an agent that is closed end as aborted", async () => {
    const agent = testAgent([])
    await agent.close()
    expect(await rejection(generateText({ model: reins(agent), prompt: "?" }))).toMatchObject({
      isRetryable: false,
      data: { code: "aborted" }
    })
  })

  it("with invalid options are refused at once", () => {
    assert.throws(() => createReins().languageModel("cluade"), /"cluade" is not one of .* "claude"/)
    assert.throws(() => reins("codex", { defaults: { maxTurns: 1 } as object }), /maxTurns/)
    assert.throws(() => reins(createAgent("codex"), { command: "x" } as object), /command is an option of the agent/)
    assert.throws(() => createReins().embeddingModel("x"), /no embedding models/)
  })
})
