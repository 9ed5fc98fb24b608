/** Messages that agents send by tools in conversations of `handle`: passed to the application, and reported with the answer. */
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Context, Deferred, Effect, Layer, Stream } from "effect"
import type { BridgeOptions } from "../../src/bridge/BridgeOptions.ts"
import { ChannelBridge } from "../../src/bridge/ChannelBridge.ts"
import { didSendViaMcpTool, noSideEffects } from "../../src/bridge/messages/AgentDeliveryResult.ts"
import type { ChannelMessage } from "../../src/bridge/messages/ChannelMessage.ts"
import type { Conversation } from "../../src/bridge/messages/Conversation.ts"
import type { ReplyPayload } from "../../src/bridge/messages/ReplyPayload.ts"
import { SendError } from "../../src/bridge/messages/SendError.ts"
import type { AgentEvent } from "../../src/contract/AgentEvent.ts"
import { Store } from "../../src/conversations/store/Store.ts"
import { nodePlatform } from "../../src/system/process/Platform.ts"
import { type CallTool, callsTools } from "./callsTools.ts"

const chat = (chatId: string): Conversation => ({ channel: "mine", accountId: "bot", chatId })

const message = (text: string, chatId = "1"): ChannelMessage => ({
  conversation: chat(chatId),
  updateId: crypto.randomUUID(),
  chat: "direct",
  sentAt: 1,
  sender: { id: "ann", isBot: false },
  text,
  attachments: [],
  addressed: true
})

const text = (input: string): AgentEvent => ({ type: "text", text: input })

/** Calls its tools, and then answers. */
const agent = (work: (call: CallTool, prompt: string) => Effect.Effect<unknown, unknown>, answer = "Done.") =>
  callsTools(
    (call) =>
      ({ prompt }) =>
        Stream.fromEffect(Effect.as(Effect.orDie(work(call, prompt)), text(answer)))
  )

const bridgeOf = (made: BridgeOptions["agents"][string], options: Omit<Partial<BridgeOptions>, "agents"> = {}) =>
  Effect.map(
    Layer.build(
      ChannelBridge.layer({ agents: { test: made }, ...options }).pipe(
        Layer.provide([Store.layerMemory(), nodePlatform])
      )
    ),
    (context) => Context.get(context, ChannelBridge)
  )

type Delivered = readonly [to: Conversation, payload: ReplyPayload]

describe("tools of agents in conversations of handle", () => {
  it.live("send by the application, in order, and are reported once, with the answer of their turn", () =>
    Effect.gen(function* () {
      const delivered: Array<Delivered> = []
      const sends = agent((call, prompt) =>
        Effect.forEach(["one", "two"], (word) => call("send_message", { text: `${word} of ${prompt}` }))
      )
      const { handle } = yield* bridgeOf(sends, { deliver: (...input) => void delivered.push(input) })
      const { payloads, mcp } = yield* handle(message("a"))
      assert.deepStrictEqual(payloads, [{ text: "Done." }])
      assert.deepStrictEqual(mcp.sentTexts, ["one of a", "two of a"])
      assert.deepStrictEqual(
        mcp.sent.map(({ state }) => state),
        ["delivered", "delivered"]
      )
      assert.deepStrictEqual(mcp.sentTargets[0], {
        ...{ tool: "send_message", provider: "mine", accountId: "bot", to: "1" }
      })
      assert.isTrue(didSendViaMcpTool(mcp))
      assert.deepStrictEqual(delivered, [
        [chat("1"), { text: "one of a" }],
        [chat("1"), { text: "two of a" }]
      ])
      const next = yield* handle(message("b"))
      assert.deepStrictEqual(next.mcp.sentTexts, ["one of b", "two of b"])
    }).pipe(Effect.scoped)
  )

  it.live("suppress an equal answer, and no other", () =>
    Effect.gen(function* () {
      const sends = agent((call, prompt) => call("send_message", { text: prompt }), "All is  well.")
      const { handle } = yield* bridgeOf(sends, { deliver: () => {} })
      assert.deepStrictEqual((yield* handle(message("All is well."))).payloads, [])
      assert.deepStrictEqual((yield* handle(message("Nothing is well."))).payloads, [{ text: "All is  well." }])
    }).pipe(Effect.scoped)
  )

  it.live("report whether an undelivered message may have arrived; a tool does not wait for that", () =>
    Effect.gen(function* () {
      const held = yield* Deferred.make<void>()
      const answered: Array<unknown> = []
      const sends = agent((call, prompt) =>
        Effect.tap(call("send_message", { text: prompt }), (content) =>
          Effect.andThen(
            Effect.sync(() => answered.push(content)),
            Deferred.succeed(held, undefined)
          )
        )
      )
      const outcomes: Record<string, () => Effect.Effect<void, unknown>> = {
        refused: () => Effect.fail(new SendError({ reason: { _tag: "Refused", description: "blocked" } })),
        cut: () => Effect.fail(new SendError({ reason: { _tag: "Unknown" } })),
        broken: () => Effect.fail(new Error("oh")),
        // Only after the tool has answered.
        slow: () => Deferred.await(held)
      }
      const { handle } = yield* bridgeOf(sends, { deliver: (_, { text: name = "" }) => outcomes[name]?.() })
      const stateOf = (name: string) => Effect.map(handle(message(name)), ({ mcp }) => mcp.sent[0]?.state)
      assert.strictEqual(yield* stateOf("slow"), "delivered")
      assert.strictEqual(yield* stateOf("refused"), "failed")
      assert.strictEqual(yield* stateOf("cut"), "unknown")
      assert.strictEqual(yield* stateOf("broken"), "unknown")
      assert.strictEqual(answered.length, 4)
    }).pipe(Effect.scoped)
  )

  it.live("send equal messages once, and at most twenty messages per turn", () =>
    Effect.gen(function* () {
      const delivered: Array<Delivered> = []
      const refused: Array<string> = []
      const sends = agent((call) =>
        Effect.forEach(
          Array.from({ length: 50 }, (_, at) => `message ${at >> 1}`),
          (input) =>
            Effect.catch(call("send_message", { text: input }), (error) =>
              Effect.sync(() => refused.push(String(error)))
            )
        )
      )
      const { handle } = yield* bridgeOf(sends, { deliver: (...input) => void delivered.push(input) })
      const { mcp } = yield* handle(message("go"))
      assert.strictEqual(mcp.sent.length, 20)
      assert.strictEqual(delivered.length, 20)
      assert.strictEqual(refused.length, 10)
      assert.include(refused[0], "a turn may send 20 messages")
    }).pipe(Effect.scoped)
  )

  it.live("send files of the working directory, as they were at the call, and no others", () =>
    Effect.gen(function* () {
      const directory = mkdtempSync(join(tmpdir(), "reins-test-"))
      yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(directory, { recursive: true })))
      writeFileSync(join(directory, "report.md"), "all is well")
      symlinkSync("/etc/hostname", join(directory, "linked.md"))
      const [contents, paths, refused]: [Array<string>, Array<string>, Array<string>] = [[], [], []]
      const sends = agent((call) =>
        Effect.forEach(["report.md", "linked.md", "../outside.md", ".env"], (path) =>
          Effect.catch(call("send_file", { path }), () => Effect.sync(() => refused.push(path)))
        )
      )
      const { handle } = yield* bridgeOf(sends, {
        directories: { work: { path: directory } },
        directory: "work",
        deliver: (_, { mediaUrls = [] }) => {
          paths.push(...mediaUrls)
          contents.push(...mediaUrls.map((path) => readFileSync(path, "utf8")))
        }
      })
      const { mcp } = yield* handle(message("go"))
      assert.deepStrictEqual(
        { contents, refused },
        { contents: ["all is well"], refused: ["linked.md", "../outside.md", ".env"] }
      )
      assert.deepStrictEqual(mcp.sentMediaUrls, [join(directory, "report.md")])
      assert.deepStrictEqual(paths.map(existsSync), [false])
    }).pipe(Effect.scoped)
  )

  it.live("keep concurrent conversations apart", () =>
    Effect.gen(function* () {
      const sends = callsTools(
        (call) =>
          ({ prompt }) =>
            Stream.fromEffect(Effect.as(Effect.orDie(call("send_message", { text: prompt })), text("Done.")))
      )
      const { handle } = yield* bridgeOf(sends, { deliver: () => Effect.sleep(5), live: true })
      const first = yield* handle(message("for 1", "1"))
      const second = yield* handle(message("for 2", "2"))
      assert.deepStrictEqual([first.mcp.sentTargets[0]?.to, second.mcp.sentTargets[0]?.to], ["1", "2"])
    }).pipe(Effect.scoped)
  )

  it.live("are missing without `deliver`", () =>
    Effect.gen(function* () {
      const names: Array<string> = []
      const lists = callsTools((_, own) => () => {
        names.push(...own())
        return [text("Done.")]
      })
      const { handle } = yield* bridgeOf(lists)
      const { mcp } = yield* handle(message("go"))
      assert.deepStrictEqual({ names, mcp }, { names: [], mcp: noSideEffects })
    }).pipe(Effect.scoped)
  )
})
