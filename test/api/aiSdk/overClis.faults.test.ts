/** The functions of the AI SDK over fakes of all four CLIs: real processes, the real `ai`. */
import {
  APICallError,
  generateObject,
  generateText,
  LoadAPIKeyError,
  NoObjectGeneratedError,
  Output,
  RetryError,
  streamObject,
  streamText
} from "ai"
import { assert, describe, expect, it, vi } from "vitest"
import { z } from "zod"
import { Step } from "../../../src/testing.ts"
import { assertAllDead, isAlive } from "../../kit/processes.ts"
import { commandTool, ids } from "../../testing/kit.ts"
import { modelOf, rejection } from "./kit.ts"

// Warnings are looked at in results.
globalThis.AI_SDK_LOG_WARNINGS = false

const schema = z.object({ answer: z.number() })
const quiet = { onError: () => undefined }

describe.each(ids)("%s", (id) => {
  const tool = Step.tool({ id: "t1", name: commandTool[id], input: { command: "ls" }, output: "README.md" })

  it("generateText gives text, tool calls, usage and the session", async () => {
    await using fake = await modelOf(id, [Step.text("I look. "), tool, Step.text("Done."), Step.result()])
    const result = await generateText({ model: fake.model, prompt: "what is here?" })
    expect(result.text).toContain("Done.")
    expect(result.finishReason).toBe("stop")
    expect(result.steps).toHaveLength(1)
    expect(result.toolCalls).toMatchObject([{ toolName: commandTool[id], dynamic: true, providerExecuted: true }])
    expect(result.toolResults).toMatchObject([{ output: expect.stringContaining("README.md") }])
    expect(result.usage).toMatchObject({ inputTokens: 10, outputTokens: 5 })
    expect(result.providerMetadata?.["reins"]).toMatchObject({ cli: id, sessionId: expect.any(String) })
    expect(fake.cli.calls().map(({ stdin }) => stdin)).toEqual(["what is here?"])
    assertAllDead(fake.cli.calls().map(({ pid }) => pid))
  })

  it("streamText streams the same", async () => {
    await using fake = await modelOf(id, [Step.text("I look. "), tool, Step.text("Done.")])
    const result = streamText({ model: fake.model, prompt: "what is here?" })
    const types: Array<string> = []
    for await (const { type } of result.stream) if (types.at(-1) !== type) types.push(type)
    const answer = ["text-start", "text-delta", "text-end"]
    expect(types).toEqual([
      ...["start", "start-step", ...answer, "tool-call", "tool-result", ...answer],
      ...["finish-step", "finish"]
    ])
    expect(await result.text).toContain("Done.")
    expect((await result.providerMetadata)?.["reins"]).toMatchObject({ cli: id })
  })

  it("generateObject, streamObject and Output give the object", async () => {
    await using fake = await modelOf(id, [Step.text("I think."), tool, Step.answer({ answer: 42 })])
    const { model } = fake
    expect((await generateObject({ model, prompt: "?", schema })).object).toEqual({ answer: 42 })
    expect(await Array.fromAsync(streamObject({ model, prompt: "?", schema }).partialObjectStream)).toEqual([
      { answer: 42 }
    ])
    expect((await generateText({ model, prompt: "?", output: Output.object({ schema }) })).output).toEqual({
      answer: 42
    })
    expect((await generateObject({ model, prompt: "?", output: "no-schema" })).object).toEqual({ answer: 42 })
  })

  it("an answer of another shape is an error of the AI SDK, with the text", async () => {
    await using fake = await modelOf(id, [Step.text("It is 42.")])
    const error = await rejection(generateObject({ model: fake.model, prompt: "?", schema }))
    if (!NoObjectGeneratedError.isInstance(error)) return assert.fail(String(error))
    expect(error.text).toContain("It is 42.")
  })

  it("an abort leaves no process, and rejects after that", async () => {
    await using fake = await modelOf(id, [Step.text("begun"), Step.process(), Step.hang()])
    const controller = new AbortController()
    const generated = rejection(generateText({ model: fake.model, prompt: "?", abortSignal: controller.signal }))
    await fake.cli.started()
    controller.abort()
    expect(await generated).toMatchObject({ name: "AbortError" })
    assertAllDead(fake.cli.calls().flatMap(({ pid, processes }) => [pid, ...processes]))
  })

  it("an abort of a stream, and leaving it, ends the agent", async () => {
    await using fake = await modelOf(id, [Step.text("begun"), Step.hang()])
    const controller = new AbortController()
    const result = streamText({ model: fake.model, prompt: "?", abortSignal: controller.signal, ...quiet })
    const types: Array<string> = []
    for await (const part of result.stream) {
      types.push(part.type)
      if (part.type === "text-delta") controller.abort()
    }
    expect(types.at(-1)).toBe("abort")
    const { stream } = await fake.model.doStream({ prompt: [{ role: "user", content: [{ type: "text", text: "?" }] }] })
    const reader = stream.getReader()
    while ((await reader.read()).value?.type !== "text-delta");
    // The agent is silent now: what is read next never comes.
    const next = reader.read()
    await new Promise(setImmediate)
    await reader.cancel()
    expect(await next).toEqual({ done: true, value: undefined })
    const [first, second] = await Promise.all([fake.cli.started(1), fake.cli.started(2)])
    assertAllDead([second.pid])
    // The AI SDK tells of an abort at once, and waits for nothing.
    await vi.waitFor(() => assert.isFalse(isAlive(first.pid)), { timeout: 20_000, interval: 10 })
  })

  it("is retried by the AI SDK if that can help, and no output had arrived", async () => {
    // Codex and Pi do not print how long a server asks to wait.
    const tellsDelay = id !== "codex" && id !== "pi"
    const after = tellsDelay ? { retryAfter: "20 millis" as const } : {}
    const overloaded = Step.error({ kind: "overloaded", ...after })
    await using early = await modelOf(id, [overloaded])
    const model = early.model
    const error = await rejection(generateText({ model, prompt: "?", maxRetries: 1 }))
    if (!RetryError.isInstance(error)) return assert.fail(String(error))
    expect(error.lastError).toMatchObject({ isRetryable: true, url: `reins:${id}` })
    if (tellsDelay) expect(error.lastError).toMatchObject({ responseHeaders: { "retry-after-ms": "20" } })
    expect(early.cli.calls()).toHaveLength(2)
    const streamed = streamText({ model, prompt: "?", maxRetries: 1, ...quiet })
    expect(RetryError.isInstance(await rejection(streamed.text))).toBe(false) // it only says that the output is missing
    expect(early.cli.calls()).toHaveLength(4)

    await using late = await modelOf(id, [Step.text("half of it"), overloaded])
    const failed = await rejection(generateText({ model: late.model, prompt: "?", maxRetries: 1 }))
    if (!APICallError.isInstance(failed)) return assert.fail(String(failed))
    expect(failed.isRetryable).toBe(false)
    expect(late.cli.calls()).toHaveLength(1)
  })

  it("a failure in mid-stream is a part of the stream", async () => {
    await using fake = await modelOf(id, [Step.text("half of it"), Step.error({ kind: "overloaded" })])
    const result = streamText({ model: fake.model, prompt: "?", ...quiet })
    const parts = await Array.fromAsync(result.stream)
    const failed = parts.find((part) => part.type === "error")
    expect(failed?.error).toMatchObject({ isRetryable: false, data: { category: "overloaded" } })
    expect(await result.finishReason).toBe("error")
  })

  it("an error names the way to sign in", async () => {
    await using fake = await modelOf(id, [Step.error({ kind: "auth" })])
    const error = await rejection(generateText({ model: fake.model, prompt: "?" }))
    expect(LoadAPIKeyError.isInstance(error)).toBe(true)
    expect(fake.cli.calls()).toHaveLength(1)
  })

  it("resumes a session, and sends only the new messages", async () => {
    await using fake = await modelOf(id, [Step.text("again")])
    const first = await generateText({ model: fake.model, prompt: "one" })
    const resume = String(first.providerMetadata?.["reins"]?.["sessionId"])
    const messages = [
      { role: "user" as const, content: "one" },
      ...first.response.messages,
      { role: "user" as const, content: "two" }
    ]
    const second = await generateText({ model: fake.model, messages, providerOptions: { reins: { resume } } })
    expect(second.providerMetadata?.["reins"]).toMatchObject({ sessionId: resume })
    expect(fake.cli.calls()[1]?.stdin).toBe("two")
    expect(fake.cli.calls()[1]?.arguments.join(" ")).toContain(resume)
    await generateText({ model: fake.model, messages })
    expect(fake.cli.calls()[2]?.stdin).toMatch(
      /^The conversation so far.*\n\n\{"role":"user","content":"one"\}\n.*again.*\n\nThe message to answer:\n\ntwo$/s
    )
  })

  it("warns of settings that no CLI has", async () => {
    await using fake = await modelOf(id, [Step.text("x")])
    const { warnings } = await generateText({ model: fake.model, prompt: "?", temperature: 1, seed: 3 })
    expect(warnings?.map((warning) => warning.type === "unsupported" && warning.feature)).toEqual([
      "temperature",
      "seed"
    ])
  })
})
