/** A channel that is served: messages of people who may speak are answered, in order; commands wait for nothing. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Layer, Queue, type Scope, Stream } from "effect"
import type { BridgeOptions } from "../../src/bridge/BridgeOptions.ts"
import { ChannelBridge } from "../../src/bridge/ChannelBridge.ts"
import { fromPlain } from "../../src/bridge/plain/FromPlain.ts"
import type { AgentEvent } from "../../src/contract/AgentEvent.ts"
import type { ChannelMessage } from "../../src/messages/ChannelMessage.ts"
import type { Incoming } from "../../src/messages/Incoming.ts"
import { nodePlatform } from "../../src/process/Platform.ts"
import { Store } from "../../src/store/Store.ts"
import * as TestRuntime from "../../src/testing/TestRuntime.ts"

type Script = Parameters<typeof TestRuntime.layer>[0]

/** A chat in memory: what was said in it by the bridge, in order. */
const makeChat = Effect.gen(function* () {
  const heard = yield* Queue.unbounded<Incoming>()
  const said: Array<string> = []
  const changed = yield* Queue.unbounded<void>()
  let updates = 0
  const conversation = (chatId: string) => ({ channel: "chat", accountId: "default", chatId })
  const channel = fromPlain({
    id: "chat",
    incoming: () => Stream.toAsyncIterable(Stream.map(Stream.fromQueue(heard), (incoming) => ({ incoming }))),
    send: ({ chatId }, { text }) => {
      said.push(`${chatId}: ${text}`)
      Queue.offerUnsafe(changed, undefined)
      return String(said.length)
    }
  })
  return {
    channel,
    said,
    say: (text: string, { from = "ann", chat = "1" } = {}) => {
      const message: ChannelMessage = {
        conversation: conversation(chat),
        updateId: String(++updates),
        messageId: `m${updates}`,
        chat: "direct",
        sentAt: 0,
        sender: { id: from, isBot: false },
        text,
        attachments: [],
        addressed: true
      }
      Queue.offerUnsafe(heard, { _tag: "Message", message })
    },
    until: (count: number) =>
      Effect.gen(function* () {
        while (said.length < count) yield* Queue.take(changed)
        return said
      })
  }
})

const served = (script: Script, options: Partial<BridgeOptions> = {}) =>
  ChannelBridge.layer({
    agents: { test: TestRuntime.layer(script), other: TestRuntime.layer([{ type: "text", text: "other" }]) },
    access: { owners: ["ann"], users: ["bob"] },
    ...options
  }).pipe(Layer.provide([Store.layerMemory(), nodePlatform]))

const text = (given: string): AgentEvent => ({ type: "text", text: given })
const echo: Script = ({ prompt }) => [text(`you said: ${prompt}`)]

const withChat = <A, E>(
  layer: Layer.Layer<ChannelBridge, E>,
  body: (chat: Effect.Success<typeof makeChat>) => Effect.Effect<A, unknown, ChannelBridge | Scope.Scope>
) =>
  Effect.gen(function* () {
    const chat = yield* makeChat
    const { serve } = yield* ChannelBridge
    yield* Effect.forkScoped(Effect.orDie(serve(chat.channel)))
    return yield* body(chat)
  }).pipe(Effect.scoped, Effect.provide(layer))

describe("a channel that is served", () => {
  it.live("answers each message once, in the order of its conversation, and strangers never", () =>
    withChat(served(echo, { whileBusy: "queue" }), ({ say, until }) =>
      Effect.gen(function* () {
        say("let me in", { from: "eve", chat: "9" })
        say("one")
        yield* until(1)
        say("two")
        say("hello", { from: "bob", chat: "2" })
        const said = yield* until(3)
        assert.deepStrictEqual([...said].sort(), ["1: you said: one", "1: you said: two", "2: you said: hello"])
        assert.strictEqual(said[0], "1: you said: one")
      })
    )
  )

  it.live("stops at once, while the agent works, and then goes on", () =>
    Effect.gen(function* () {
      const begun = yield* Deferred.make<void>()
      const script: Script = ({ prompt }) =>
        prompt === "long"
          ? Stream.concat(Stream.fromEffect(Effect.as(Deferred.succeed(begun, undefined), text("half"))), Stream.never)
          : [text(prompt)]
      return yield* withChat(served(script, { whileBusy: "queue" }), ({ say, until }) =>
        Effect.gen(function* () {
          say("long")
          yield* Deferred.await(begun)
          say("/stop")
          yield* until(2)
          say("next")
          const said = yield* until(3)
          assert.deepStrictEqual([...said.slice(0, 2)].sort(), ["1: Stopped.", "1: half"])
          assert.strictEqual(said[2], "1: next")
        })
      )
    })
  )

  it.live("knows its commands by role, and what a chat has chosen", () =>
    withChat(served(echo), ({ say, until }) =>
      Effect.gen(function* () {
        say("/agent other", { from: "bob", chat: "2" })
        assert.strictEqual((yield* until(1))[0], "2: /agent is for admins alone.")
        say("/other hello")
        assert.strictEqual((yield* until(2))[1], "1: other")
        say("/agent other")
        assert.strictEqual((yield* until(3))[2], "1: Agent: other")
        say("hello")
        assert.strictEqual((yield* until(4))[3], "1: other")
        say("/stpo")
        assert.include((yield* until(5))[4], "Did you mean /stop?")
      })
    )
  )
})
