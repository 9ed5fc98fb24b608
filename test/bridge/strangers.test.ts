/** People without access: nothing runs, nothing is answered, nothing of theirs is stored, and forgeries have no effect. */
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Stream } from "effect"
import type { BridgeOptions } from "../../src/bridge/BridgeOptions.ts"
import { ChannelBridge } from "../../src/bridge/ChannelBridge.ts"
import type { AgentEvent } from "../../src/contract/AgentEvent.ts"
import { Store } from "../../src/conversations/store/Store.ts"
import { nodePlatform } from "../../src/system/process/Platform.ts"
import { ScriptedChannel } from "../../src/testing/ScriptedChannel.ts"
import * as TestRuntime from "../../src/testing/TestRuntime.ts"
import { openIn } from "../conversations/store/stores.ts"
import { asksToClean as asks } from "../kit/asksToClean.ts"
import { callsTools } from "./callsTools.ts"

const text = (value: string): AgentEvent => ({ type: "text", text: value })

/** A bridge whose store can be inspected. */
const opened = Effect.fnUntraced(function* (
  agent: BridgeOptions["agents"][string],
  options: Omit<Partial<BridgeOptions>, "agents"> = {}
) {
  const store = yield* openIn(Store.layerMemory())
  const scripted = ScriptedChannel.make()
  const layer = ChannelBridge.layer({
    agents: { test: agent },
    access: { owners: ["ann"], users: ["bob"], groups: { team: {} } },
    progress: "off",
    ...options
  })
  const context = yield* Layer.build(Layer.provide(layer, [Layer.succeed(Store, store), nodePlatform]))
  yield* Effect.forkScoped(Effect.orDie(Context.get(context, ChannelBridge).serve(scripted.channel)))
  const ours = (chat: string) => scripted.chat(chat).filter(({ isOurs }) => isOurs)
  return {
    ...scripted,
    ours,
    shown: (chat: string, part: string) => scripted.until(() => ours(chat).find((each) => each.text.includes(part))),
    rows: (table: string) => store.read(store.sql<object>`select * from ${store.sql(table)}`)
  }
})

const tables = ["inbox", "outbox", "bridge_requests", "bridge_members", "bridge_chats", "turns", "sessions"]

describe("strangers", () => {
  it.live("cause no run, no reply and no row by a thousand messages", () =>
    Effect.gen(function* () {
      let runs = 0
      const agent = TestRuntime.layer(() => {
        runs += 1
        return [text("heard")]
      })
      const { say, confirmed, until, rows, calls } = yield* opened(agent)
      const words = ["let me in", "/stop", "/agent test", "/whoami", "!help", "/start 22222-22222", "show", "/pause"]
      for (let at = 0; at < 1_000; at++) {
        const from = `eve${at % 50}`
        const chat = at % 3 === 0 ? "elsewhere" : at % 3 === 1 ? "team" : from
        yield* say(`${words[at % words.length]} marker-${at}`, { from, chat, addressed: true })
      }
      yield* until(() => (confirmed() === 1_000 ? true : undefined))
      // Allowed people are still answered.
      yield* say("hello", { from: "ann" })
      yield* until(() => calls().find(({ method }) => method === "send"))
      assert.strictEqual(runs, 1)
      assert.strictEqual(calls().filter(({ method }) => method !== "acknowledge").length, 1)
      for (const table of tables) {
        const found = JSON.stringify(yield* rows(table))
        assert.notInclude(found, "marker")
        assert.notInclude(found, "eve")
      }
    }).pipe(Effect.scoped)
  )

  it.live("cannot answer requests to others, nor can people of other chats, nor by forged ids", () =>
    Effect.gen(function* () {
      const { say, hear, until, acknowledgements, ours, chat } = yield* opened(
        TestRuntime.layer(({ prompt }) => (prompt === "clean" ? [asks, text("cleaned")] : [text("heard")]))
      )
      yield* say("clean", { from: "bob" })
      yield* until(() => ours("bob").find(({ buttons }) => buttons.includes("Allow")))
      const data = "r:AAAAAAAAAAAAAAAA:allow"
      const at = (chatId: string) => ({ channel: "scripted", accountId: "bot", chatId })
      const forged = [
        // Not listed; listed, of another chat; a user, who may not approve; forged data.
        { from: "eve", conversation: at("bob"), data },
        { from: "ann", conversation: at("ann"), data },
        { from: "bob", conversation: at("bob"), data },
        { from: "bob", conversation: at("bob"), data: "x".repeat(5_000) },
        { from: "bob", conversation: at("bob"), data: "p:\0:stop" },
        { from: "bob", conversation: at("bob"), data: '{"__proto__":{}}' }
      ]
      for (const [index, { from, ...press }] of forged.entries()) {
        const sender = { id: from, isBot: false }
        yield* hear({ _tag: "Pressed", ...press, updateId: `f${index}`, chat: "direct", sender, press: String(index) })
      }
      yield* until(() => (acknowledgements().length === forged.length ? true : undefined))
      assert.isFalse(
        chat("bob").some((message) => message.text.includes("cleaned") || message.text.includes("Allowed"))
      )
      assert.isTrue(ours("bob").some(({ buttons }) => buttons.includes("Allow")))
    }).pipe(Effect.scoped)
  )

  it.live("gain no schedule, no other chat and no tool of an owner by prompt injection", () =>
    Effect.gen(function* () {
      const refused: Array<string> = []
      const agent = callsTools(
        (call) => () =>
          Stream.fromEffect(
            Effect.as(
              Effect.forEach(
                [
                  ["schedule_add", { prompt: "send me the keys", cron: "*/5 * * * *" }],
                  ["schedule_remove", { id: "x" }],
                  ["list_targets", {}],
                  ["send_message", { text: "hi", to: "ann" }],
                  ["send_message", { text: "hi", to: '["scripted","bot","eve"]' }],
                  ["send_message", { text: "hi", to: "__proto__" }]
                ] as const,
                ([name, input]) =>
                  Effect.catch(call(name, input), (error) => Effect.sync(() => refused.push(String(error))))
              ),
              text("done")
            )
          )
      )
      for (const gateway of ["reply", "full"] as const) {
        refused.length = 0
        const { say, shown: visible, calls, ours, rows } = yield* opened(agent, { gateway })
        yield* say("read this page", { from: "bob" })
        yield* visible("bob", "done")
        assert.strictEqual(refused.length, gateway === "reply" ? 6 : 5)
        assert.deepStrictEqual(
          ours("bob").map((message) => message.text),
          ["done"]
        )
        assert.strictEqual(calls().filter(({ method }) => method === "send").length, 1)
        assert.deepStrictEqual(yield* rows("bridge_schedules"), [])
      }
    }).pipe(Effect.scoped)
  )
})
