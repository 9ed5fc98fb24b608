/** Accounts of an agent are tried in order, and listeners see one turn. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted, Stream } from "effect"
import { AgentRuntime } from "../../src/agents/AgentRuntime.ts"
import { ChannelBridge } from "../../src/bridge/ChannelBridge.ts"
import type { ChannelMessage } from "../../src/bridge/messages/ChannelMessage.ts"
import type { AgentEvent } from "../../src/contract/AgentEvent.ts"
import type { ErrorCategory } from "../../src/contract/ErrorCategory.ts"
import { Store } from "../../src/conversations/store/Store.ts"
import { nodePlatform } from "../../src/system/process/Platform.ts"
import * as TestRuntime from "../../src/testing/TestRuntime.ts"

const message = (updateId: string, chatId = "1"): ChannelMessage => ({
  conversation: { channel: "test", accountId: "bot", chatId },
  updateId,
  chat: "direct",
  sentAt: 1,
  sender: { id: "ann", isBot: false },
  text: "x",
  attachments: [],
  addressed: true
})

const text = (input: string): AgentEvent => ({ type: "text", text: input })

const refused = (category: ErrorCategory): AgentEvent => ({
  ...{ type: "error", message: "", code: "x", category },
  retryable: ["rate_limit", "overloaded", "network"].includes(category)
})

/** Each account answers as scripted; `asked` lists the accounts that were asked. */
const bridge = (live: boolean, accounts: Readonly<Record<string, ReadonlyArray<AgentEvent>>>) => {
  const request: Array<string> = []
  const agent = TestRuntime.layer(({ env = {} }) => {
    const account = String(env["ACCOUNT"])
    assert.strictEqual(env["REINS_SESSION"], "1")
    request.push(account)
    return accounts[account] ?? []
  })
  const profiles = { test: Object.keys(accounts).map((account) => ({ ACCOUNT: account, KEY: Redacted.make("k") })) }
  const layer = ChannelBridge.layer({ agents: { test: agent }, live, profiles })
  return { asked: request, layer: Layer.provide(layer, [Store.layerMemory(), nodePlatform]) }
}

describe.each([{ live: true }, { live: false }])("accounts of an agent, live: $live", ({ live }) => {
  it.live.each(["auth", "billing", "rate_limit"] as const)(
    "after a refusal for %s use the next one, which is the first from then on",
    (category) => {
      const { asked: request, layer } = bridge(live, {
        one: [refused(category)],
        two: [text("two")],
        three: [text("three")]
      })
      return Effect.gen(function* () {
        const { handle } = yield* ChannelBridge
        const content: Array<string | undefined> = []
        const onBlockReply = (payload: { readonly text?: string }) => void content.push(payload.text)
        assert.strictEqual((yield* handle(message("1"), { onBlockReply })).run.outcome, "completed")
        assert.deepStrictEqual(content, ["two"])
        assert.deepStrictEqual((yield* handle(message("2"))).payloads, [{ text: "two" }])
        assert.deepStrictEqual((yield* handle(message("3", "2"))).payloads, [{ text: "two" }])
        assert.deepStrictEqual(request, ["one", "two", "two", "two"])
        // A repeated message is the same turn.
        assert.deepStrictEqual((yield* handle(message("1"))).payloads, [{ text: "two" }])
      }).pipe(Effect.provide(layer))
    }
  )

  it.live("are asked once each if all refuse, and the last failure is reported", () => {
    const { asked: request, layer } = bridge(live, { one: [refused("auth")], two: [refused("billing")] })
    return Effect.gen(function* () {
      const { handle } = yield* ChannelBridge
      const { payloads, error } = yield* handle(message("1"))
      assert.deepStrictEqual(request, ["one", "two"])
      assert.include(error, "no credit left")
      assert.lengthOf(payloads, 1)
    }).pipe(Effect.provide(layer))
  })

  it.live("are not changed after any output, nor for failures that another account would not fix", () => {
    const { asked: request, layer } = bridge(live, { one: [text("half"), refused("auth")], two: [text("two")] })
    const other = bridge(live, { one: [refused("invalid_request")], two: [text("two")] })
    return Effect.gen(function* () {
      const first = yield* Effect.provide(
        Effect.flatMap(ChannelBridge, ({ handle }) => handle(message("1"))),
        layer
      )
      assert.deepStrictEqual([first.run.outcome, request], ["failed", ["one"]])
      const second = yield* Effect.provide(
        Effect.flatMap(ChannelBridge, ({ handle }) => handle(message("1"))),
        other.layer
      )
      assert.deepStrictEqual([second.run.outcome, other.asked], ["failed", ["one"]])
    })
  })
})

describe("a turn", () => {
  it.live("that is retried is one turn for listeners", () => {
    let runs = 0
    const agent = TestRuntime.layer(() => (runs++ === 0 ? [refused("overloaded")] : [text("fine")]))
    return Effect.gen(function* () {
      const { handle } = yield* ChannelBridge
      const [content, events]: [Array<string | undefined>, Array<AgentEvent["type"]>] = [[], []]
      yield* handle(message("1"), {
        onBlockReply: (payload) => void content.push(payload.text),
        onEvent: ({ type }) => void events.push(type)
      })
      assert.deepStrictEqual(content, ["fine"])
      assert.deepStrictEqual(
        events.filter((type) => type === "error" || type === "turn_done"),
        ["turn_done"]
      )
    }).pipe(
      Effect.provide(
        Layer.provide(ChannelBridge.layer({ agents: { test: agent } }), [Store.layerMemory(), nodePlatform])
      )
    )
  })

  it.live("that ends without a result gives its text, and a failure", () => {
    const events: ReadonlyArray<AgentEvent> = [
      text("half of it, and more"),
      { type: "notice", kind: "text_voided", message: "", data: { characters: 10 } }
    ]
    const agent = Layer.effect(
      AgentRuntime,
      Effect.map(AgentRuntime, (runtime) => ({
        ...runtime,
        open: (params: Parameters<typeof runtime.open>[0]) =>
          Effect.map(runtime.open(params), (session) => ({
            ...session,
            turn: (() => Stream.fromIterable(events)) as typeof session.turn // no output schema is asked for
          }))
      }))
    ).pipe(Layer.provide(TestRuntime.layer([])))
    return Effect.gen(function* () {
      const { handle } = yield* ChannelBridge
      const { payloads, run, error } = yield* handle(message("1"))
      assert.deepStrictEqual(payloads, [{ text: "half of it" }, { text: "The agent crashed.", isError: true }])
      assert.deepStrictEqual([run.outcome, error], ["failed", "The agent crashed."])
      const content: Array<string | undefined> = []
      yield* handle(message("2"), {
        onPartialReply: () => {},
        onBlockReply: (payload) => void content.push(payload.text)
      })
      assert.strictEqual(content[0], "half of it, and more")
    }).pipe(
      Effect.provide(
        Layer.provide(ChannelBridge.layer({ agents: { test: agent } }), [Store.layerMemory(), nodePlatform])
      )
    )
  })
})

describe("the option of accounts", () => {
  it.effect.each([
    [{ tset: [] }, 'did you mean "test"'],
    [{ test: "x" }, "profiles"]
  ] as const)("%j is refused with its place", ([profiles, problem]) =>
    Effect.gen(function* () {
      const options = { agents: { test: TestRuntime.layer([]) }, profiles } as unknown as Parameters<
        typeof ChannelBridge.layer
      >[0] // wrong on purpose
      const layer = Layer.provide(ChannelBridge.layer(options), [Store.layerMemory(), nodePlatform])
      assert.include(String(yield* Effect.flip(Effect.scoped(Layer.build(layer)))), problem)
    })
  )
})
