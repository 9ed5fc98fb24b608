/** A bridge on Discord, as its people see it. */
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { ChannelBridge } from "../../../src/bridge/ChannelBridge.ts"
import { Store } from "../../../src/conversations/store/Store.ts"
import { nodePlatform } from "../../../src/system/process/Platform.ts"
import * as TestRuntime from "../../../src/testing/TestRuntime.ts"
import { asksToClean as asks } from "../../kit/asksToClean.ts"
import { ann, bot, connected, room, start } from "./kit.ts"

type Script = Parameters<typeof TestRuntime.layer>[0]

const echo: Script = ({ prompt }) => [{ type: "text", text: `heard: ${prompt}` }]
const role = "203040506070809010"

const served = (script: Script) =>
  Effect.gen(function* () {
    const { discord, channel } = yield* start()
    discord.open(room)
    const layer = ChannelBridge.layer({
      agents: { test: TestRuntime.layer(script) },
      access: { owners: [ann], groups: { [room]: { users: [`role:${role}`] } } },
      progress: "off"
    }).pipe(Layer.provide([Store.layerMemory(), nodePlatform]))
    const { serve } = Context.get(yield* Layer.build(layer), ChannelBridge)
    yield* Effect.forkScoped(Effect.orDie(serve(channel)))
    yield* connected(discord)
    const visible = (chat: string, part: string) =>
      Effect.promise(() =>
        discord.until(() => discord.chat(chat).find((message) => message.isOurs && message.text.includes(part)))
      )
    return { discord, visible }
  })

describe("a bridge on Discord", () => {
  it.live("answers its owner in a direct chat, asks by buttons, and is silent to others", () =>
    Effect.gen(function* () {
      const { discord, visible } = yield* served([asks, { type: "text", text: "All **clean**, @everyone." }])
      const direct = discord.direct()
      discord.say("who are you?", { from: "100000000000001002" })
      discord.say("clean up")
      const request = yield* visible(direct, "make clean")
      discord.press(request, "Allow")
      const answer = yield* visible(direct, "All **clean**")
      assert.isEmpty(answer.notified)
      yield* visible(direct, "Allowed by")
      assert.lengthOf(discord.acknowledgements(), 1)
      assert.isEmpty(discord.chat(discord.direct("100000000000001002")).filter(({ isOurs }) => isOurs))
      assert.isEmpty(discord.violations())
    }).pipe(Effect.scoped)
  )

  it.live(
    "answers those with a role in a thread of its own, hears what follows there, and leaves the channel clean",
    () =>
      Effect.gen(function* () {
        const { discord, visible } = yield* served(echo)
        const ben = { id: "100000000000001002", name: "Ben", roles: [role] }
        discord.say("talk among people", { channel: room, from: ben })
        discord.say(`<@${bot}> no`, { channel: room, from: { ...ben, id: "100000000000001003", roles: [] } })
        const { messageId: thread } = discord.say(`<@${bot}> one`, { channel: room, from: ben })
        yield* visible(thread, "one")
        discord.say("two", { channel: thread, from: ben })
        yield* visible(thread, "two")
        assert.isEmpty(discord.chat(room).filter(({ isOurs }) => isOurs))
        assert.strictEqual(discord.nameOf(thread), "one")
        assert.isEmpty(discord.violations())
      }).pipe(Effect.scoped)
  )

  it.live("answers in the channel where the message is deleted before, and asks no one of an answer that was cut", () =>
    Effect.gen(function* () {
      let meanwhile = () => {}
      const { discord, visible } = yield* served(({ prompt }) => {
        if (prompt.includes("vanish")) meanwhile()
        return [{ type: "text", text: `heard: ${prompt}` }]
      })
      const from = { id: ann, name: "Ann", roles: [role] }
      const key = discord.say(`<@${bot}> hello`, { channel: room, from })
      yield* visible(key.messageId, "hello")
      const gone = discord.say(`<@${bot}> vanish`, { channel: room, from })
      meanwhile = () => discord.withdraw(gone)
      discord.fail("createMessage", "cutAfter")
      discord.say("cut", { from })
      const direct = discord.direct()
      yield* visible(direct, "heard: cut")
      discord.say("afterwards", { from })
      yield* visible(direct, "heard: afterwards")
      const own = discord.chat(direct).filter(({ isOurs }) => isOurs)
      assert.deepStrictEqual(
        own.map(({ text }) => text.split("\n")[0]),
        ["heard: cut", "heard: afterwards"]
      )
    }).pipe(Effect.scoped)
  )
})
