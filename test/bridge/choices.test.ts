/** What people choose by value, and what becomes of a choice when the bridge changes. */
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Result } from "effect"
import { actOfValue } from "../../src/bridge/approvals/answering.ts"
import { checkBridgeOptions } from "../../src/bridge/BridgeOptions.ts"
import { ChannelBridge } from "../../src/bridge/ChannelBridge.ts"
import type { ChatSettings } from "../../src/bridge/ChatSettings.ts"
import type { PressChoice, Pressed } from "../../src/bridge/messages/Incoming.ts"
import type { Sight } from "../../src/bridge/messages/Sight.ts"
import type { ChatMemory } from "../../src/bridge/serve/chatMemory.ts"
import { settingsPresses } from "../../src/bridge/serve/settingsPresses.ts"
import { planOf } from "../../src/bridge/turn/plan.ts"
import { Store } from "../../src/conversations/store/Store.ts"
import { nodePlatform } from "../../src/system/process/Platform.ts"
import { ScriptedChannel } from "../../src/testing/ScriptedChannel.ts"
import * as TestRuntime from "../../src/testing/TestRuntime.ts"

const agent = TestRuntime.layer([{ type: "text", text: "well" }])
const conversation = { channel: "test", accountId: "bot", chatId: "1" }

describe("a choice by value", () => {
  /** After a wish of an owner. */
  const settingsAfter = (present: ChatSettings, wish: Omit<Extract<PressChoice, { _tag: "Choose" }>, "_tag">) =>
    Effect.gen(function* () {
      let settings = present
      const change = (changes: Parameters<ChatMemory["change"]>[1]) =>
        Effect.sync(() => {
          settings = Object.fromEntries(
            Object.entries({ ...settings, ...changes }).filter(([, value]) => value !== undefined)
          )
        })
      const choosing = settingsPresses({
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
    ["has no model of the agent before", { agent: "codex", model: "m" }, { agent: "claude" }, { agent: "claude" }],
    [
      "has none either where the agent is that of the bridge again",
      { agent: "codex", model: "m" },
      { agent: null },
      {}
    ],
    ["changes a model alone", { agent: "codex", model: "m" }, { model: "n" }, { agent: "codex", model: "n" }]
  ] as const)("%s", ([, present, wish, settings]) =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* settingsAfter(present, wish), settings)
    })
  )

  it("of an answer is none by a name that every object has", () => {
    const question = { question: "constructor", header: "", options: [], multiple: true, freeText: true }
    const request = { type: "question", requestId: "r", questions: [question] } as const
    assert.isUndefined(actOfValue(request, { _tag: "Answer", answers: {} }))
  })
})

describe("a directory that the bridge has no longer", () => {
  it("is that of the bridge for a chat that had chosen it", () => {
    const directories = { shop: { path: "/shop" }, docs: { path: "/docs" } }
    const options = Result.getOrThrow(checkBridgeOptions({ agents: { test: agent }, directories, directory: "shop" }))
    const placeOf = (directory: string) => planOf(options, { directory }).params.workingDirectory
    assert.deepStrictEqual(["docs", "gone", "__proto__"].map(placeOf), ["/docs", "/shop", "/shop"])
  })
})

describe("a change of a bridge", () => {
  it.live("leaves what was changed before, and is shown by channels that draw turns", () =>
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
