/** A channel that is slow, hangs or breaks does not delay others, and ends only what it broke. */
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { ChannelBridge } from "../../src/bridge/ChannelBridge.ts"
import type { Channel } from "../../src/bridge/messages/Channel.ts"
import type { Incoming } from "../../src/bridge/messages/Incoming.ts"
import type { AgentEvent } from "../../src/contract/AgentEvent.ts"
import { Store } from "../../src/conversations/store/Store.ts"
import { nodePlatform } from "../../src/system/process/Platform.ts"
import { ScriptedChannel } from "../../src/testing/ScriptedChannel.ts"
import * as TestRuntime from "../../src/testing/TestRuntime.ts"

const text = (input: string): AgentEvent => ({ type: "text", text: input })
const command = `make ${"x".repeat(9_000)}`

const asks: AgentEvent = {
  type: "permission_request",
  requestId: "r",
  toolId: "t",
  toolName: "Bash",
  kind: "command",
  input: { command },
  title: "make",
  command,
  escalated: false,
  scopes: []
}

const agent = TestRuntime.layer(({ prompt }) =>
  prompt === "clean" ? [asks, text("cleaned")] : [text(`heard: ${prompt}`)]
)

const opened = Effect.fnUntraced(function* (broken: (channel: Channel) => Partial<Channel> = () => ({})) {
  const scripted = ScriptedChannel.make()
  const layer = ChannelBridge.layer({
    agents: { test: agent },
    access: { owners: ["ann"], users: ["bob"] },
    progress: "off"
  })
  const context = yield* Layer.build(Layer.provide(layer, [Store.layerMemory(), nodePlatform]))
  const channel = { ...scripted.channel, ...broken(scripted.channel) }
  yield* Effect.forkScoped(Effect.orDie(Context.get(context, ChannelBridge).serve(channel)))
  const visible = (chat: string, part: string) =>
    scripted.until(() => scripted.chat(chat).find((message) => message.isOurs && message.text.includes(part)))
  return { ...scripted, shown: visible }
})

const forged = (data: string): Incoming => ({
  ...{ _tag: "Pressed", conversation: { channel: "scripted", accountId: "bot", chatId: "ann" }, updateId: data },
  ...{ chat: "direct", sender: { id: "ann", isBot: false }, data, press: { id: data } }
})

describe("a channel that does not answer", () => {
  it.live.each(["x:y", "s:y", "q:d:0123456789abcdef", "r:0123456789abcdef:a"])(
    "to acknowledge the press %s still handles later updates",
    (data) =>
      Effect.gen(function* () {
        const { hear, say, shown: visible, fail } = yield* opened()
        fail("acknowledge", "hang")
        yield* hear(forged(data))
        yield* say("hello", { from: "bob" })
        yield* visible("bob", "heard: hello")
      }).pipe(Effect.scoped)
  )

  it.live("while a long request is shown still handles later updates, and stops", () =>
    Effect.gen(function* () {
      const { say, press, shown: visible, until, fail, calls, chat } = yield* opened()
      yield* say("clean")
      const { messageId } = yield* until(() => chat("ann").find(({ buttons }) => buttons.includes("Show all")))
      fail("send", "hang")
      yield* press(messageId, "Show all")
      yield* until(() => calls().filter(({ method }) => method === "send")[1])
      yield* say("hello", { from: "bob" })
      yield* visible("bob", "heard: hello")
      yield* say("/stop")
      yield* visible("ann", "Stopped.")
    }).pipe(Effect.scoped)
  )
})

describe("a channel that breaks", () => {
  it.live("at one message is logged, and the next one is answered", () =>
    Effect.gen(function* () {
      const {
        say,
        shown: visible,
        until,
        confirmed
      } = yield* opened(({ render }) => ({
        render: (payload) => {
          if (payload.text?.includes("whoever") === true) throw new Error("a mistake of the channel")
          return render(payload)
        }
      }))
      // The reply to an unknown command has its name.
      yield* say("/whoever")
      yield* say("hello")
      yield* visible("ann", "heard: hello")
      yield* until(() => (confirmed() === 2 ? true : undefined))
    }).pipe(Effect.scoped)
  )

  it.live("at a press still handles later updates", () =>
    Effect.gen(function* () {
      const {
        hear,
        say,
        shown: visible
      } = yield* opened(() => ({ acknowledge: () => Effect.die(new Error("a mistake")) }))
      yield* hear(forged("x:y"))
      yield* say("hello")
      yield* visible("ann", "heard: hello")
    }).pipe(Effect.scoped)
  )
})

describe("a request that is longer than a message", () => {
  it.live("is shown completely by a file before it can be allowed", () =>
    Effect.gen(function* () {
      const { say, press, shown: visible, until, chat } = yield* opened()
      yield* say("clean")
      const request = yield* until(() => chat("ann").find(({ buttons }) => buttons.includes("Show all")))
      assert.deepStrictEqual(request.buttons, ["Show all", "Deny"])
      yield* press(request.messageId, "Show all")
      const allowable = yield* until(() => chat("ann").find(({ buttons }) => buttons.includes("Allow")))
      assert.strictEqual(allowable.messageId, request.messageId)
      const files = chat("ann").flatMap(({ file }) => (file === undefined ? [] : [file]))
      assert.lengthOf(files, 1)
      yield* press(request.messageId, "Allow")
      yield* visible("ann", "cleaned")
    }).pipe(Effect.scoped)
  )
})
