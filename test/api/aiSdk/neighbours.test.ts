/** Layers on models of the AI SDK: registries, middleware, messages of a user interface. No process is started. */
import {
  convertToModelMessages,
  createProviderRegistry,
  generateText,
  readUIMessageStream,
  streamText,
  ToolLoopAgent,
  type UIMessage,
  wrapLanguageModel
} from "ai"
import { assert, describe, expect, it } from "vitest"
import { createReins, reins } from "../../../src/aiSdk.ts"
import { testAgent } from "../../../src/testing.ts"

globalThis.AI_SDK_LOG_WARNINGS = false

const agent = testAgent(({ prompt }) => [
  { type: "thinking", text: "I look." },
  { type: "tool_use", toolId: "t", toolName: "Bash", input: { command: "ls" } },
  { type: "tool_result", toolId: "t", output: "README.md", isError: false },
  { type: "text", text: `You said ${prompt}.` }
])
const model = reins(agent)

describe("models", () => {
  it("are found in a registry, whose ids name a CLI and its model", () => {
    const registry = createProviderRegistry({ reins: createReins() })
    expect(registry.languageModel("reins:claude/opus")).toMatchObject({
      provider: "reins.claude",
      modelId: "claude/opus"
    })
    assert.throws(() => registry.embeddingModel("reins:x"), /no embedding models/)
  })

  it("are wrapped by middleware, which may change a prompt", async () => {
    const shouting = wrapLanguageModel({
      model,
      middleware: {
        specificationVersion: "v4",
        transformParams: async ({ params }) => ({
          ...params,
          prompt: [{ role: "user", content: [{ type: "text", text: "HI" }] }]
        })
      }
    })
    assert.strictEqual((await generateText({ model: shouting, prompt: "hi" })).text, "You said HI.")
  })

  it("are used by agents of the AI SDK", async () => {
    const { text, steps } = await new ToolLoopAgent({ model }).generate({ prompt: "hi" })
    assert.deepStrictEqual([text, steps.length], ["You said hi.", 1])
  })
})

describe("messages of a user interface", () => {
  const visible = async () => {
    let last: UIMessage | undefined
    for await (const message of readUIMessageStream({
      stream: streamText({ model, prompt: "hi" }).toUIMessageStream()
    })) {
      last = message
    }
    return last ?? assert.fail("no message")
  }

  it("have reasoning, tool calls with their results, and text", async () => {
    expect((await visible()).parts).toMatchObject([
      { type: "step-start" },
      { type: "reasoning", text: "I look.", state: "done" },
      {
        type: "dynamic-tool",
        toolName: "Bash",
        state: "output-available",
        input: { command: "ls" },
        output: "README.md",
        providerExecuted: true
      },
      { type: "text", text: "You said hi.", state: "done" }
    ])
  })

  it("are sent to the agent when they come back", async () => {
    const user = (text: string): UIMessage => ({ id: text, role: "user", parts: [{ type: "text", text }] })
    const messages = await convertToModelMessages([user("hi"), await visible(), user("and now?")])
    const { text } = await generateText({ model, messages })
    for (const line of [
      '{"role":"user","content":"hi"}',
      '{"tool":"Bash","input":{"command":"ls"}}',
      '{"resultOf":"Bash","output":"README.md"}',
      '"You said hi."'
    ])
      assert.include(text, line)
    assert.notInclude(text, "I look.")
    assert.match(text, /The message to answer:\n\nand now\?\.$/)
  })
})
