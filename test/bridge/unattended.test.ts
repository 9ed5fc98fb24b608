/** An account on which programs write: requests without people, deliveries one by one, and messages into other accounts. */
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import * as Approvals from "../../src/agents/Approvals.ts"
import { ChannelBridge } from "../../src/bridge/ChannelBridge.ts"
import { collect, isFull, mostWaiting, type Waiting } from "../../src/bridge/intake/collect.ts"
import type { ChannelMessage } from "../../src/bridge/messages/ChannelMessage.ts"
import { interruptedPayload } from "../../src/bridge/messages/interrupted.ts"
import { withoutAsking } from "../../src/bridge/serve/agentRequests.ts"
import type { PlanHandler } from "../../src/contract/Rule.ts"
import { Store } from "../../src/conversations/store/Store.ts"
import { nodePlatform } from "../../src/system/process/Platform.ts"
import { ScriptedChannel } from "../../src/testing/ScriptedChannel.ts"
import * as TestRuntime from "../../src/testing/TestRuntime.ts"

const denied = "Denied: a program started this turn, and people cannot be asked. Go on without it."

describe("rules without people", () => {
  it("deny what they would ask about, and allow and deny the rest as before", () => {
    const match = { kinds: ["command"] } as const
    const own = [Approvals.deny({ kinds: ["web"] }), Approvals.allow({ kinds: ["read"] })]
    assert.deepStrictEqual(withoutAsking([...own, Approvals.ask(undefined, { match }), Approvals.ask()]), [
      ...own,
      { _tag: "Deny", match, message: denied },
      { _tag: "Deny", match: {}, message: denied }
    ])
  })

  it("deny a plan at once, and approve one that needs no person", () => {
    const auto = Approvals.plan(undefined, { auto: true })
    const [first, second] = withoutAsking([Approvals.plan(undefined, { deadline: "1 hour" }), auto])
    assert.strictEqual(second, auto)
    // The handler uses neither of its arguments.
    const handler =
      first?._tag === "Plan" ? (first.handler as unknown as (() => ReturnType<PlanHandler>) | undefined) : undefined
    assert.deepStrictEqual(handler?.(), { decision: "deny", message: denied })
  })
})

describe("an interrupted turn without people", () => {
  it("has no question", () => {
    const { text, buttons, isError } = interruptedPayload("bridge-012345678901234567890123", "unattended")
    assert.match(text ?? "", /It is not repeated\.$/)
    assert.deepStrictEqual([buttons, isError], [undefined, true])
  })
})

const row = (updateId: string, text: string, at: number): Waiting => {
  const message: ChannelMessage = {
    ...{ conversation: { channel: "webhook", accountId: "webhooks", chatId: "webhook:a" }, updateId, chat: "direct" },
    ...{ sentAt: at, sender: { id: "a", isBot: false }, text, attachments: [], addressed: true }
  }
  return { updateId, at, message }
}

describe("deliveries that wait", () => {
  it("are never one message, however fast they follow", () => {
    const rows = [
      row("delivery/a/1", "one", 0),
      row("delivery/a/2", "two", 1),
      row("m3", "three", 2),
      row("delivery/a/4", "four", 3)
    ]
    const { ready } = collect(rows, 60_000)
    assert.deepStrictEqual(
      ready.map(({ message }) => message.text),
      ["one", "two", "three", "four"]
    )
    // Messages of a person would be one.
    assert.strictEqual(collect([row("1", "one", 0), row("2", "two", 1)], 60_000).ready.length, 1)
  })

  it("count each", () => {
    const rows = Array.from({ length: mostWaiting }, (_, at) => row(`delivery/a/${at}`, "x", at))
    assert.isTrue(isFull(rows, row("delivery/a/next", "x", 100)))
    assert.isFalse(isFull(rows.slice(1), row("delivery/a/next", "x", 100)))
  })
})

describe("a message into a chat of a served account", () => {
  it.live("is there once for its key, and false where the account is not served", () =>
    Effect.gen(function* () {
      const scripted = ScriptedChannel.make()
      const layer = ChannelBridge.layer({
        agents: { test: TestRuntime.layer([{ type: "text", text: "x" }]) },
        access: { owners: ["ann"] },
        progress: "off"
      }).pipe(Layer.provide([Store.layerMemory(), nodePlatform]))
      const { serve, post } = Context.get(yield* Layer.build(layer), ChannelBridge)
      const ann = { channel: "scripted", accountId: "bot", chatId: "ann" }
      assert.isFalse(yield* post(ann, { text: "too early" }, "0"))
      yield* Effect.forkScoped(Effect.orDie(serve(scripted.channel)))
      const ours = () => scripted.chat("ann").flatMap(({ isOurs, text }) => (isOurs ? [text] : []))
      yield* scripted.say("hello")
      yield* scripted.until(() => (ours().length === 1 ? true : undefined))
      const keys = ["1", "1", "2", "1", "3"]
      for (const key of keys) assert.isTrue(yield* post(ann, { text: `message ${key}` }, key))
      assert.isFalse(yield* post({ ...ann, accountId: "other" }, { text: "elsewhere" }, "4"))
      yield* scripted.until(() => (ours().length === 4 ? true : undefined))
      assert.deepStrictEqual(ours(), ["x", "message 1", "message 2", "message 3"])
      assert.deepStrictEqual(scripted.violations(), [])
    }).pipe(Effect.scoped)
  )
})
