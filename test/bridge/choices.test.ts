/** Settings that people choose by value, and their validity after the bridge has changed. */
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Result } from "effect"
import { actOfValue } from "../../src/bridge/approvals/answering.ts"
import { checkBridgeOptions } from "../../src/bridge/BridgeOptions.ts"
import { ChannelBridge } from "../../src/bridge/ChannelBridge.ts"
import type { ChatSettings } from "../../src/bridge/ChatSettings.ts"
import type { PressChoice, Pressed } from "../../src/bridge/messages/Incoming.ts"
import type { Sight } from "../../src/bridge/messages/Sight.ts"
import type { ChatMemory } from "../../src/bridge/serve/chatMemory.ts"
import { settingsReader } from "../../src/bridge/serve/settingsPresses.ts"
import { planOf } from "../../src/bridge/turn/agents.ts"
import { Store } from "../../src/conversations/store/Store.ts"
import { nodePlatform } from "../../src/system/process/Platform.ts"
import { ScriptedChannel } from "../../src/testing/ScriptedChannel.ts"
import * as TestRuntime from "../../src/testing/TestRuntime.ts"

const agent = TestRuntime.layer([{ type: "text", text: "well" }])
const conversation = { channel: "test", accountId: "bot", chatId: "1" }

describe("a choice by value", () => {
  /** The settings of a chat after a choice of its owner. */
  const settingsAfter = (present: ChatSettings, wish: Omit<Extract<PressChoice, { _tag: "Choose" }>, "_tag">) =>
    Effect.gen(function* () {
      let settings = present
      const change = (changes: Parameters<ChatMemory["Service"]["change"]>[1]) =>
        Effect.sync(() => {
          settings = Object.fromEntries(
            Object.entries({ ...settings, ...changes }).filter(([, value]) => value !== undefined)
          )
        })
      const choosing = settingsReader({
        agents: ["claude", "codex"],
        directories: () => ["shop"],
        chats: { get: () => Effect.sync(() => settings), change: (_to, changes) => change(changes) },
        close: () => Effect.void,
        execute: (command) =>
          command._tag === "Agent"
            ? change({ agent: command.agent, model: undefined })
            : command._tag === "Model"
              ? change({ model: command.model })
              : Effect.void
      })
      const pressed: Pressed = {
        ...{ _tag: "Pressed", conversation, updateId: "1", chat: "direct", sender: { id: "ann", isBot: false } },
        ...{ data: "c", choice: { _tag: "Choose", ...wish }, press: null }
      }
      yield* choosing(pressed, "owner") ?? Effect.void
      return settings
    })

  it.effect.each([
    [
      "keeps the model that comes with another agent",
      { agent: "codex", model: "m" },
      { agent: "claude", model: "m" },
      { agent: "claude", model: "m" }
    ],
    ["drops the model of the previous agent", { agent: "codex", model: "m" }, { agent: "claude" }, { agent: "claude" }],
    ["resets the model also with the return to the default agent", { agent: "codex", model: "m" }, { agent: null }, {}],
    ["changes only a model", { agent: "codex", model: "m" }, { model: "n" }, { agent: "codex", model: "n" }]
  ] as const)("%s", ([, present, wish, settings]) =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* settingsAfter(present, wish), settings)
    })
  )

  it("of an answer ignores names of inherited properties", () => {
    const question = { question: "constructor", header: "", options: [], multiple: true, freeText: true }
    const request = { type: "question", requestId: "r", questions: [question] } as const
    assert.isUndefined(actOfValue(request, { _tag: "Answer", answers: {} }))
  })
})

describe("a directory that the bridge no longer has", () => {
  it("is replaced by the default directory", () => {
    const directories = { shop: { path: "/shop" }, docs: { path: "/docs" } }
    const options = Result.getOrThrow(checkBridgeOptions({ agents: { test: agent }, directories, directory: "shop" }))
    const placeOf = (directory: string) => planOf(options, { directory }).params.workingDirectory
    assert.deepStrictEqual(["docs", "gone", "__proto__"].map(placeOf), ["/docs", "/shop", "/shop"])
  })
})

describe("a change of a bridge", () => {
  it.live("keeps earlier changes, and is reported to channels that draw turns", () =>
    Effect.gen(function* () {
      const known: Array<Sight> = []
      const directories = { shop: { path: "/shop" } }
      const layer = ChannelBridge.layer({ agents: { test: agent }, access: { owners: ["ann"] }, directories })
      const context = yield* Layer.build(Layer.provide(layer, [Store.layerMemory(), nodePlatform]))
      const { serve, change } = Context.get(context, ChannelBridge)
      const scripted = ScriptedChannel.make()
      const watch = (sight: Sight) => Effect.sync(() => void known.push(sight))
      yield* Effect.forkScoped(Effect.orDie(serve({ ...scripted.channel, watch })))
      const served = () => known.flatMap((sight) => (sight._tag === "Served" ? [sight] : []))
      yield* Effect.repeat(Effect.yieldNow, { until: () => served().length > 0 })
      yield* change({ directories: { ...directories, docs: { path: "/docs" } } })
      yield* change({ directory: "docs" })
      const last = served().at(-1)
      assert.strictEqual(served().length, 3)
      assert.deepStrictEqual([last?.directory, last?.directories.map(({ name }) => name)], ["docs", ["shop", "docs"]])
    }).pipe(Effect.scoped)
  )
})
