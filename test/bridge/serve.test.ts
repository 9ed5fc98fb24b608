/** A served channel: messages of allowed people are answered, in order; commands do not wait. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Layer, Queue, type Scope, Stream } from "effect"
import { AgentRuntime } from "../../src/agents/AgentRuntime.ts"
import type { BridgeOptions } from "../../src/bridge/BridgeOptions.ts"
import { ChannelBridge } from "../../src/bridge/ChannelBridge.ts"
import { Journal } from "../../src/bridge/journal/Journal.ts"
import type { ChannelMessage } from "../../src/bridge/messages/ChannelMessage.ts"
import { conversationParts } from "../../src/bridge/messages/Conversation.ts"
import type { Incoming } from "../../src/bridge/messages/Incoming.ts"
import { SendError } from "../../src/bridge/messages/SendError.ts"
import { fromPlain } from "../../src/bridge/promise/FromPlain.ts"
import { promptOf, turnIdOf } from "../../src/bridge/turn/prompt.ts"
import type { AgentEvent } from "../../src/contract/AgentEvent.ts"
import type { AgentOpenParams } from "../../src/contract/AgentOpenParams.ts"
import type { HostTool } from "../../src/contract/HostTool.ts"
import { eventually } from "../../src/contract/Input.ts"
import { Store } from "../../src/conversations/store/Store.ts"
import { keyText } from "../../src/conversations/turns/conversationKey.ts"
import { turnDigest } from "../../src/conversations/turns/turnRequest.ts"
import { claimTurn, enqueueTurn, spawnTurn } from "../../src/conversations/turns/turnRows.ts"
import { nodePlatform } from "../../src/system/process/Platform.ts"
import * as TestRuntime from "../../src/testing/TestRuntime.ts"
import { openIn } from "../conversations/store/stores.ts"

type Script = Parameters<typeof TestRuntime.layer>[0]

describe("a channel of promises", () => {
  it.effect("has drafts if it says so, and their failures are those of sends", () =>
    Effect.gen(function* () {
      const drafts: Array<unknown> = []
      const reason = { _tag: "Refused", description: "no drafts here" } as const
      const failures: Array<Error> = [new SendError({ reason }), new Error("broken")]
      const plain = { id: "chat", incoming: () => Stream.toAsyncIterable(Stream.never), send: () => "1" }
      const { draft } = fromPlain({
        ...plain,
        draft: ({ chatId }, draftId, { text }, { signal }) => {
          drafts.push([chatId, draftId, text, signal.aborted])
          const failure = drafts.length === 1 ? undefined : failures.shift()
          if (failure !== undefined) throw failure
        }
      })
      if (draft === undefined) return assert.fail("it has no drafts")
      const to = { channel: "chat", accountId: "default", chatId: "1" }
      const send = draft(to, 7, { text: "at work", body: {} })
      yield* send
      assert.deepStrictEqual(drafts, [["1", 7, "at work", false]])
      assert.deepStrictEqual((yield* Effect.flip(send)).reason, reason)
      assert.deepStrictEqual((yield* Effect.flip(send)).reason, { _tag: "Unknown" })
      assert.isUndefined(fromPlain(plain).draft)
    })
  )
})

/** A chat in memory, with the messages of the bridge in order. */
const makeChat = Effect.gen(function* () {
  const received = yield* Queue.unbounded<Incoming>()
  const content: Array<string> = []
  const changed = yield* Queue.unbounded<void>()
  let updates = 0
  const conversation = (chatId: string) => ({ channel: "chat", accountId: "default", chatId })
  const channel = fromPlain({
    id: "chat",
    incoming: () => Stream.toAsyncIterable(Stream.map(Stream.fromQueue(received), (incoming) => ({ incoming }))),
    send: ({ chatId }, { text }) => {
      content.push(`${chatId}: ${text}`)
      Queue.offerUnsafe(changed, undefined)
      return String(content.length)
    }
  })
  return {
    channel,
    said: content,
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
      Queue.offerUnsafe(received, { _tag: "Message", message })
    },
    until: (count: number) =>
      Effect.gen(function* () {
        while (content.length < count) yield* Queue.take(changed)
        return content
      })
  }
})

const served = (script: Script, options: Partial<BridgeOptions> = {}, store = Store.layerMemory()) =>
  ChannelBridge.layer({
    agents: { test: TestRuntime.layer(script), other: TestRuntime.layer([{ type: "text", text: "other" }]) },
    access: { owners: ["ann"], users: ["bob"] },
    ...options
  }).pipe(Layer.provide([store, nodePlatform]))

const text = (value: string): AgentEvent => ({ type: "text", text: value })
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

describe("a served channel", () => {
  it.live("answers each message once, in the order of its conversation, and never strangers", () =>
    withChat(served(echo, { whileBusy: "queue" }), ({ say, until }) =>
      Effect.gen(function* () {
        say("let me in", { from: "eve", chat: "9" })
        say("one")
        yield* until(1)
        say("two")
        say("hello", { from: "bob", chat: "2" })
        const content = yield* until(3)
        assert.deepStrictEqual([...content].sort(), ["1: you said: one", "1: you said: two", "2: you said: hello"])
        assert.strictEqual(content[0], "1: you said: one")
      })
    )
  )

  it.live("stops a working agent at once, and then continues", () =>
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
          const content = yield* until(3)
          assert.deepStrictEqual([...content.slice(0, 2)].sort(), ["1: Stopped.", "1: half"])
          assert.strictEqual(content[2], "1: next")
        })
      )
    })
  )

  it.live("checks roles of commands, and keeps the settings of a chat", () =>
    withChat(served(echo), ({ say, until }) =>
      Effect.gen(function* () {
        say("/agent other", { from: "bob", chat: "2" })
        assert.strictEqual((yield* until(1))[0], "2: /agent is only for admins.")
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

  it.live("asks for approval, and accepts a number as the answer", () =>
    withChat(
      served([
        {
          type: "permission_request",
          requestId: "r",
          toolId: "t",
          toolName: "Bash",
          kind: "command",
          input: { command: "rm -rf build" },
          title: "rm -rf build",
          command: "rm -rf build",
          escalated: false,
          scopes: []
        },
        text("done")
      ]),
      ({ say, until }) =>
        Effect.gen(function* () {
          say("clean up")
          const [request] = yield* until(1)
          assert.include(request, "rm -rf build")
          assert.match(request ?? "", /1.*Allow/)
          say("1")
          // The person has decided it there: another message would only say so.
          assert.deepStrictEqual((yield* until(2)).slice(1), ["1: done"])
        })
    )
  )

  it.live("sends messages of the agent's tools, and suppresses an equal answer", () =>
    Effect.gen(function* () {
      let tools: ReadonlyArray<HostTool> = []
      const call = (name: string, input: unknown) =>
        Effect.suspend(() => {
          const tool = tools.find((each) => each.name === name)
          return eventually(() => tool?.run(input, { signal: new AbortController().signal }))
        })
      const script: Script = ({ prompt }) =>
        Stream.fromEffect(Effect.as(Effect.orDie(call("send_message", { text: prompt })), text("found it")))
      const watched = Layer.effect(
        AgentRuntime,
        Effect.map(AgentRuntime, (agent) => ({
          ...agent,
          open: (params?: AgentOpenParams) => {
            tools = params?.tools ?? []
            return agent.open(params)
          }
        }))
      ).pipe(Layer.provide(TestRuntime.layer(script)))
      yield* withChat(served(script, { agents: { watched } }), ({ say, until }) =>
        Effect.gen(function* () {
          say("look for it")
          assert.deepStrictEqual(yield* until(2), ["1: look for it", "1: found it"])
          say("found it")
          yield* until(3)
          say("/status")
          assert.deepStrictEqual((yield* until(4)).slice(2), ["1: found it", "1: watched: idle, 0 waiting."])
          const late = yield* Effect.flip(call("send_message", { text: "late" }))
          assert.include(String(late), "No turn is running")
        })
      )
    })
  )

  it.live("asks about a turn whose host died, and repeats it only if a person says so", () =>
    Effect.gen(function* () {
      const store = yield* openIn(Store.layerMemory())
      const own = Layer.succeed(Store, store)
      const message: ChannelMessage = {
        conversation: { channel: "chat", accountId: "default", chatId: "1" },
        updateId: "before",
        chat: "direct",
        sentAt: 0,
        sender: { id: "ann", isBot: false },
        text: "deploy",
        attachments: [],
        addressed: true
      }
      const [turnId, prompt] = [turnIdOf(message), promptOf([message])]
      const key = conversationParts(message.conversation)
      const turn = { turnId, conversation: keyText(key), cli: "test", prompt, digest: turnDigest(key, { prompt }) }
      yield* enqueueTurn(store, turn, 0)
      yield* claimTurn(store, { turnId, runId: "dead", cli: "test" }, 0)
      yield* spawnTurn(store, "dead")
      yield* Effect.scoped(
        Effect.gen(function* () {
          const { inbox } = yield* (yield* Journal).own("chat", "default")
          yield* inbox.accept(message)
          yield* inbox.take([message.updateId], turnId)
        })
      ).pipe(Effect.provide(Layer.provide(Journal.layer, own)))
      let runs = 0
      const script: Script = () => {
        runs += 1
        return [text("deployed")]
      }
      yield* withChat(served(script, {}, own), ({ say, until }) =>
        Effect.gen(function* () {
          assert.include((yield* until(1))[0], "Write: Go on, Again, or Forget.")
          assert.strictEqual(runs, 0)
          say("again", { chat: "2" })
          assert.strictEqual((yield* until(2))[1], "2: deployed")
          say("Again")
          assert.strictEqual((yield* until(3))[2], "1: deployed")
          assert.strictEqual(runs, 2)
          say("again")
          assert.strictEqual((yield* until(4))[3], "1: deployed")
          assert.strictEqual(runs, 3)
        })
      )
    }).pipe(Effect.scoped)
  )
})
