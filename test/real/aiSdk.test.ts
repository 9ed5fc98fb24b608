/** The functions of the AI SDK over the four real CLIs with scripted models: text, tools of the host, objects, files, abort. */
import { generateObject, generateText, tool as sdkTool, streamText } from "ai"
import { describe, expect, it } from "vitest"
import { z } from "zod"
import { reins } from "../../src/aiSdk.ts"
import type { ReinsModelOptions } from "../../src/api/aiSdk/AiSdk.ts"
import { type CliId, createAgent } from "../../src/promise.ts"
import { Answer, ModelServer } from "../../src/testing.ts"
import { processesWith } from "../kit/processes.ts"
import { pathOf } from "./rig/environment.ts"
import { commandFor } from "./rig/layered.ts"

globalThis.AI_SDK_LOG_WARNINGS = false

const open = async (cli: CliId, answers: ReadonlyArray<Answer.Answer>, options: ReinsModelOptions = {}) => {
  const stack = new AsyncDisposableStack()
  const command = commandFor(cli)
  const server = stack.use(await ModelServer.forCli(cli, answers))
  const sandbox = stack.use(await ModelServer.sandboxFor(cli, server, { path: pathOf([command]) }))
  const defaults = { workingDirectory: sandbox.work }
  const agent = stack.use(createAgent(cli, { command, env: sandbox.env, defaults }))
  return { server, sandbox, model: reins(agent, options), [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

const schema = z.object({ answer: z.number() })
/** Claude Code is asked by a tool. */
const right = (cli: CliId) =>
  cli === "claude" ? Answer.call(Answer.tool("StructuredOutput", { answer: 42 })) : Answer.say('{"answer":42}')

/** The name of a function of the host, as each CLI calls it. */
const adds = { claude: "mcp__host__add", gemini: "mcp_host_add", codex: "host.add", opencode: "host_add" }

const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

describe.each(["claude", "gemini", "codex", "opencode"] as const)("%s", (cli) => {
  it("generates text, with its usage, and goes on in its session", async () => {
    await using real = await open(cli, [Answer.say(["Hel", "lo"]), Answer.say("again")])
    const { model } = real
    const first = await generateText({ model, prompt: "one", instructions: "Be short, says the house." })
    expect(first).toMatchObject({ text: "Hello", finishReason: "stop" })
    expect(first.usage).toMatchObject({ outputTokens: 10, inputTokenDetails: { cacheReadTokens: 20 } })
    expect(JSON.stringify((await real.server.arrival(1)).body)).toContain("Be short, says the house.")
    const resume = String(first.providerMetadata?.["reins"]?.["sessionId"])
    const messages = [
      { role: "user" as const, content: "one" },
      ...first.response.messages,
      { role: "user" as const, content: "two" }
    ]
    const second = await generateText({ model, messages, providerOptions: { reins: { resume } } })
    expect(second.text).toBe("again")
    expect(second.providerMetadata?.["reins"]).toMatchObject({ sessionId: resume })
    const { prompt, body } = await real.server.arrival(2)
    expect(prompt).toBe("two")
    expect(JSON.stringify(body)).toContain("Hello")
  })

  it("calls a tool of the AI SDK while it streams", async () => {
    const value: Array<unknown> = []
    const add = sdkTool({
      description: "Adds two numbers.",
      inputSchema: z.object({ a: z.number(), b: z.number() }),
      execute: async (input) => {
        value.push(input)
        return String(input.a + input.b)
      }
    })
    const answers = [Answer.call(Answer.tool(adds[cli], { a: 2, b: 40 })), Answer.say("It is 42.")]
    await using real = await open(cli, answers, { hostTools: { add } })
    const result = streamText({ model: real.model, prompt: "add them" })
    expect(await result.text).toContain("It is 42.")
    expect(value).toEqual([{ a: 2, b: 40 }])
    expect(await result.toolCalls).toMatchObject([{ input: { a: 2, b: 40 }, dynamic: true, providerExecuted: true }])
    expect(await result.toolResults).toMatchObject([{ output: expect.stringContaining("42") }])
    expect(real.server.requests.at(-1)?.toolResults[0]?.text).toContain("42")
    expect(await result.finishReason).toBe("stop")
  })

  it("generates an object", async () => {
    await using real = await open(cli, [right(cli)])
    expect((await generateObject({ model: real.model, schema, prompt: "what is it?" })).object).toEqual({ answer: 42 })
  })

  it("sees an image", async () => {
    await using real = await open(cli, [Answer.say("red")])
    const content = [
      { type: "text" as const, text: "which colour?" },
      { type: "image" as const, image: png }
    ]
    const { text } = await generateText({ model: real.model, messages: [{ role: "user", content }] })
    expect(text).toBe("red")
    expect(JSON.stringify((await real.server.arrival(1)).body)).toContain(png.slice(0, 40))
  })

  it("is gone when it is aborted", async () => {
    await using real = await open(cli, [Answer.stall("some words")])
    const controller = new AbortController()
    const call = generateText({ model: real.model, prompt: "go on", abortSignal: controller.signal })
    const rejected = call.then(
      () => "no rejection",
      (error: unknown) => error
    )
    await (await real.server.arrival(1)).sent
    controller.abort()
    expect(await rejected).toMatchObject({ name: "AbortError" })
    expect(processesWith(real.sandbox.home)).toEqual([])
  })
})
