/** `handle`: one message becomes one turn; answer, failure and events go to the application. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Stream } from "effect"
import { TestClock } from "effect/testing"
import { ChannelBridge } from "../../src/bridge/ChannelBridge.ts"
import type { BridgeCallbacks } from "../../src/bridge/messages/AgentDeliveryResult.ts"
import type { ChannelMessage } from "../../src/bridge/messages/ChannelMessage.ts"
import type { ReplyPayload } from "../../src/bridge/messages/ReplyPayload.ts"
import type { AgentEvent } from "../../src/contract/AgentEvent.ts"
import { Store } from "../../src/conversations/store/Store.ts"
import { nodePlatform } from "../../src/system/process/Platform.ts"
import * as TestRuntime from "../../src/testing/TestRuntime.ts"

const conversation = { channel: "test", accountId: "bot", chatId: "1" }

const message = (updateId: string, text: string): ChannelMessage => ({
  conversation,
  updateId,
  chat: "direct",
  sentAt: 1,
  sender: { id: "ann", isBot: false },
  text,
  attachments: [],
  addressed: true
})

type Script = Parameters<typeof TestRuntime.layer>[0]

const bridge = (script: Script, live: boolean) =>
  ChannelBridge.layer({ agents: { test: TestRuntime.layer(script) }, live, chunkLength: 20 }).pipe(
    Layer.provide([Store.layerMemory(), nodePlatform])
  )

/** Prints some text, and then nothing more. */
const endless: Script = Stream.concat(Stream.make<[AgentEvent]>({ type: "text", text: "…" }), Stream.never)

const text = (input: string): AgentEvent => ({ type: "text", text: input })

describe.each([{ live: true }, { live: false }])("a bridge, live: $live", ({ live }) => {
  it.live("answers a message, with its text as the prompt", () =>
    Effect.gen(function* () {
      const { handle } = yield* ChannelBridge
      const first = yield* handle(message("1", "why?"))
      assert.deepStrictEqual(first.payloads, [{ text: "you said: why?" }])
      assert.strictEqual(first.run.outcome, "completed")
      assert.isUndefined(first.error)
      assert.deepStrictEqual(first.mcp.sent, [])
    }).pipe(Effect.provide(bridge(({ prompt }) => [text(`you said: ${prompt}`)], live)))
  )

  const malformed: ReadonlyArray<readonly [input: unknown, error: string]> = [
    [undefined, "message: is not an object"],
    ["hello", "message: is not an object"],
    [{}, "message.conversation: is missing"],
    [{ ...message("1", "x"), conversation: { channel: "test" } }, "message.conversation.accountId: is missing"],
    [{ ...message("1", "x"), text: undefined }, "message.text: Expected a text, not undefined"],
    [{ ...message("1", "x"), sender: "ann" }, "message.sender: Expected an object, not a text"],
    [{ ...message("1", "x"), attachments: null }, "message.attachments: Expected a list, not null"],
    [{ ...message("1", "x"), attachments: [null] }, "message.attachments.0: Expected an object, not null"]
  ]
  it.live.each(malformed)("answers a malformed message with its problem, and asks no agent: %j", ([input, error]) =>
    Effect.gen(function* () {
      const { handle } = yield* ChannelBridge
      const answer = yield* handle(input as ChannelMessage) // from JavaScript
      assert.deepStrictEqual([answer.error, answer.payloads], [error, [{ text: error, isError: true }]])
      assert.deepInclude(answer.run, { outcome: "failed", reason: "invalid_params" })
    }).pipe(Effect.provide(bridge(() => assert.fail("it was asked"), live)))
  )

  it.live("passes the text before a call on before the call, and each text as a block", () =>
    Effect.gen(function* () {
      const { handle } = yield* ChannelBridge
      const content: Array<string> = []
      yield* handle(message("1", "x"), {
        onBlockReply: ({ text: input }) => void content.push(`block ${input}`),
        onToolResult: ({ text: input }) => void content.push(`result ${input}`),
        onEvent: ({ type }) => void (type === "tool_use" && content.push("call"))
      })
      assert.deepStrictEqual(content, ["block I look.", "call", "result a.txt", "block It is a."])
    }).pipe(
      Effect.provide(
        bridge(
          [
            text("I "),
            text("look."),
            { type: "tool_use", toolId: "t", toolName: "Bash", input: {}, kind: "command" },
            { type: "tool_result", toolId: "t", output: "a.txt", isError: false },
            text("\n\n"),
            text("It is a.")
          ],
          live
        )
      )
    )
  )

  it.live.each(["onPartialReply", "onBlockReply"] as const)("gives the whole answer to %s alone", (name) =>
    Effect.gen(function* () {
      const { handle } = yield* ChannelBridge
      const content: Array<string | undefined> = []
      const result = yield* handle(message("1", "x"), { [name]: (payload: ReplyPayload) => content.push(payload.text) })
      assert.strictEqual(content.join(""), "one two three four five")
      assert.deepStrictEqual(result.payloads, [])
    }).pipe(Effect.provide(bridge([text("one two three four five")], live)))
  )

  it.live("passes chunks, the rest, tool results and events to callbacks, and ignores their failures", () =>
    Effect.gen(function* () {
      const { handle } = yield* ChannelBridge
      const content: Array<readonly [string, string | undefined]> = []
      const to =
        (name: string) =>
        ({ text: input }: { readonly text?: string }) =>
          void content.push([name, input])
      const callbacks: BridgeCallbacks = {
        onPartialReply: to("partial"),
        onBlockReply: to("block"),
        onToolResult: to("tool"),
        onEvent: () => Promise.reject(new Error("broken"))
      }
      const result = yield* handle(message("1", "x"), callbacks)
      assert.deepStrictEqual(content, [
        ["tool", "12 files"],
        ["partial", "one two three four "],
        ["block", "five"]
      ])
      assert.deepStrictEqual(result.payloads, [])
      assert.strictEqual(result.run.text, "one two three four five")
    }).pipe(
      Effect.provide(
        bridge(
          [
            { type: "tool_use", toolId: "t", toolName: "Bash", input: {}, kind: "command" },
            { type: "tool_result", toolId: "t", output: "12 files", isError: false },
            text("one two three"),
            text(" four five")
          ],
          live
        )
      )
    )
  )

  it.effect("waits a minute for a callback that hangs, and continues", () =>
    Effect.gen(function* () {
      const { handle } = yield* ChannelBridge
      const onToolResult = () => Effect.never
      const fiber = yield* Effect.forkChild(handle(message("1", "x"), { onToolResult }))
      for (let at = 0; fiber.pollUnsafe() === undefined && at < 500; at++) {
        yield* TestClock.adjust("1 second")
        yield* TestClock.withLive(Effect.sleep(1))
      }
      assert.deepStrictEqual((yield* Fiber.join(fiber)).payloads, [{ text: "done" }])
    }).pipe(
      Effect.provide(
        bridge(
          [
            { type: "tool_use", toolId: "t", toolName: "Bash", input: {}, kind: "command" },
            { type: "tool_result", toolId: "t", output: "12 files", isError: false },
            text("done")
          ],
          live
        )
      )
    )
  )

  it.live("reports a failure after the answer, in its own words", () =>
    Effect.gen(function* () {
      const { handle } = yield* ChannelBridge
      const { payloads, error, run } = yield* handle(message("1", "x"))
      assert.deepStrictEqual(payloads, [
        { text: "half" },
        { text: "The agent's provider refused the request.", isError: true }
      ])
      assert.strictEqual(error, "The agent's provider refused the request.")
      assert.strictEqual(run.outcome, "failed")
    }).pipe(
      Effect.provide(
        bridge(
          [
            text("half"),
            {
              type: "error",
              message: 'API Error: 400 {"type":"error"}',
              code: "x",
              category: "invalid_request",
              retryable: false
            }
          ],
          live
        )
      )
    )
  )

  it.live("stops a turn by its signal and by its conversation, also while it waits", () =>
    Effect.gen(function* () {
      const { handle, stop, conversations } = yield* ChannelBridge
      const begun = yield* Deferred.make<void>()
      const onEvent = () => void Deferred.doneUnsafe(begun, Effect.void)
      const [first, second] = [new AbortController(), new AbortController()]
      const running = yield* Effect.forkChild(handle(message("1", "x"), { onEvent }, first.signal))
      yield* Deferred.await(begun)
      const waiting = yield* Effect.forkChild(handle(message("2", "y"), {}, second.signal), { startImmediately: true })
      assert.deepStrictEqual(yield* conversations, [{ conversation, isRunning: true }])
      second.abort()
      assert.strictEqual((yield* Fiber.join(waiting)).run.outcome, "aborted")
      assert.isTrue(yield* stop(conversation))
      assert.strictEqual((yield* Fiber.join(running)).run.outcome, "aborted")
      assert.isFalse(yield* stop(conversation))
    }).pipe(Effect.provide(bridge(endless, live)))
  )

  it.live("retries transient failures once, unless there was output", () =>
    Effect.gen(function* () {
      const { handle } = yield* ChannelBridge
      assert.strictEqual((yield* handle(message("1", "x"))).run.outcome, "completed")
    }).pipe(
      Effect.provide(
        Layer.unwrap(
          Effect.sync(() => {
            let runs = 0
            const overloaded: AgentEvent = {
              type: "error",
              message: "",
              code: "x",
              category: "overloaded",
              retryable: true
            }
            return bridge(() => (runs++ === 0 ? [overloaded] : [text("fine")]), live)
          })
        )
      )
    )
  )
})
