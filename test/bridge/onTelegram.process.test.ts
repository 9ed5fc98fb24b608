/** The bridge on a local Telegram server, as people see it: groups, topics, photos and files. */
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import type { BridgeOptions } from "../../src/bridge/BridgeOptions.ts"
import { ChannelBridge } from "../../src/bridge/ChannelBridge.ts"
import { Telegram } from "../../src/channels/telegram/Telegram.ts"
import type { AgentEvent } from "../../src/contract/AgentEvent.ts"
import { Store } from "../../src/conversations/store/Store.ts"
import { HostEnvironment } from "../../src/system/process/HostEnvironment.ts"
import { nodePlatform } from "../../src/system/process/Platform.ts"
import { TelegramServer } from "../../src/testing/TelegramServer.ts"
import * as TestRuntime from "../../src/testing/TestRuntime.ts"
import { makeDirectory } from "../kit/temporary.ts"

const [ann, bob, eve] = [1_001, 1_002, 1_003]
const group = -1_000_000_000_001
const session: AgentEvent = { type: "session", sessionId: "8b2d", model: "opus" }

const opened = (options: Partial<BridgeOptions> = {}) =>
  Effect.gen(function* () {
    const home = yield* makeDirectory
    const telegram = yield* Effect.acquireRelease(
      Effect.promise(() => TelegramServer.start({ pace: false, privacyMode: false })),
      (server) => Effect.promise(() => server[Symbol.asyncDispose]())
    )
    const request: Array<{ readonly prompt: string; readonly images: number }> = []
    const agent = TestRuntime.layer(({ prompt, attachments = [] }) => {
      request.push({ prompt, images: attachments.length })
      return [session, { type: "text", text: `heard: ${prompt.split("\n").at(-1)}` }]
    })
    const layer = ChannelBridge.layer({
      agents: { claude: agent },
      access: { owners: [String(ann)], users: [String(bob)], groups: { [group]: {} } },
      footer: true,
      // A group accepts one message per three seconds.
      progress: "off",
      ...options
    }).pipe(Layer.provide([Store.layerMemory(), nodePlatform]))
    const env = { HOME: home, XDG_STATE_HOME: join(home, "state") }
    const { serve } = Context.get(yield* Effect.provideService(Layer.build(layer), HostEnvironment, env), ChannelBridge)
    const channel = yield* Telegram.channel({ token: telegram.token, apiRoot: telegram.url })
    yield* Effect.forkScoped(Effect.provideService(Effect.orDie(serve(channel)), HostEnvironment, env))
    const visible = (chat: number, pattern: RegExp, thread?: number) =>
      Effect.promise(() =>
        telegram.until(() => telegram.chat(chat, thread).find(({ isOurs, text }) => isOurs && pattern.test(text)))
      )
    return { telegram, asked: request, shown: visible, home }
  })

describe("the bridge on Telegram", () => {
  it.live("answers allowed people of a group if it is addressed, and runs commands with its name", () =>
    Effect.gen(function* () {
      const { telegram, asked: request, shown: visible } = yield* opened()
      const name = `@${telegram.me.username}`
      telegram.say("just talking", { from: bob, chat: group })
      telegram.say(`${name} let me in`, { from: eve, chat: group })
      telegram.say("hello", { from: bob, chat: -1_000_000_000_002 })
      telegram.say("/stop@other_bot", { from: bob, chat: group })
      telegram.say(`/whoami${name}`, { from: bob, chat: group })
      yield* visible(group, new RegExp(`Your id is ${bob}, this chat is ${group}, your role is user`))
      telegram.say(`${name} what is new?`, { from: bob, chat: group })
      const answer = yield* visible(group, /^heard: .*what is new\?/)
      telegram.say("and then?", { from: bob, chat: group, replyTo: answer })
      yield* visible(group, /^heard: .*and then\?/)
      assert.strictEqual(request.length, 2)
      assert.strictEqual(telegram.chat(-1_000_000_000_002).filter(({ isOurs }) => isOurs).length, 0)
    }).pipe(Effect.scoped)
  )

  it.live("treats topics as separate conversations", () =>
    Effect.gen(function* () {
      const { telegram, shown: visible } = yield* opened({
        access: { owners: [String(ann)], groups: { [group]: { mention: false } } }
      })
      telegram.say("/model opus", { chat: group, thread: 7 })
      yield* visible(group, /Model: opus/, 7)
      telegram.say("/model", { chat: group, thread: 8 })
      yield* visible(group, /Model: the agent's default/, 8)
      telegram.say("hello there", { chat: group, thread: 7 })
      yield* visible(group, /^heard: Ann: hello there/, 7)
      assert.isFalse(telegram.chat(group, 8).some(({ text }) => text.includes("hello there")))
    }).pipe(Effect.scoped)
  )

  it.live("passes an album to the agent as one message, and sends files of the agent", () =>
    Effect.gen(function* () {
      const home = yield* makeDirectory
      const shop = join(home, "shop")
      mkdirSync(shop)
      writeFileSync(join(shop, "notes.md"), "# notes")
      const {
        telegram,
        asked: request,
        shown: visible
      } = yield* opened({ directories: { shop: { path: shop } }, directory: "shop" })
      const content = Buffer.from(
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGBgAAAABQABpfZFQAAAAABJRU5ErkJggg==",
        "base64"
      )
      for (const text of ["one", ""]) telegram.say(text, { album: "a", photo: { name: "p.png", content } })
      yield* visible(ann, /^heard: one/)
      assert.deepStrictEqual(
        request.map(({ images }) => images),
        [2]
      )
      telegram.say("/files notes.md")
      const sent = yield* Effect.promise(() =>
        telegram.until(() =>
          telegram.chat(ann).find((message) => message.isOurs && telegram.fileOf(message) !== undefined)
        )
      )
      assert.strictEqual(Buffer.from(telegram.fileOf(sent) ?? []).toString(), "# notes")
      telegram.say("/files ../../etc/passwd")
      yield* Effect.promise(() =>
        telegram.until(() => (telegram.chat(ann).filter(({ isOurs }) => isOurs).length > 2 ? true : undefined))
      )
    }).pipe(Effect.scoped)
  )
})
