/** A stop overtakes waiting updates, and also stops a turn that is about to start. */
import { assert, describe, it } from "@effect/vitest"
import { Context, Deferred, Effect, Fiber, Layer, Queue, Stream } from "effect"
import { AgentRuntime } from "../../src/agents/AgentRuntime.ts"
import { resultOfNothing } from "../../src/agents/engine/result.ts"
import { ChannelBridge } from "../../src/bridge/ChannelBridge.ts"
import type { Heard } from "../../src/bridge/messages/Channel.ts"
import type { ChannelMessage } from "../../src/bridge/messages/ChannelMessage.ts"
import { listen } from "../../src/bridge/serve/listen.ts"
import { draftIdOf } from "../../src/bridge/serve/turnProgress.ts"
import { turnIdOf } from "../../src/bridge/turn/prompt.ts"
import { AgentError, StoreUnavailable } from "../../src/contract/AgentError.ts"
import type { AgentEvent } from "../../src/contract/AgentEvent.ts"
import type { AgentOpenParams } from "../../src/contract/AgentOpenParams.ts"
import { Store } from "../../src/conversations/store/Store.ts"
import { nodePlatform } from "../../src/system/process/Platform.ts"
import * as TestRuntime from "../../src/testing/TestRuntime.ts"
import { bridgeOf } from "./bridgeOf.ts"

const text = (input: string): AgentEvent => ({ type: "text", text: input })

/** Repeats its prompt; opens a session when `ready` allows it. */
const makeAgent = (ready: (nth: number) => Effect.Effect<void, AgentError> = () => Effect.void) => {
  const prompts: Array<string> = []
  let opened = 0
  const scripted = TestRuntime.layer(({ prompt }) => {
    prompts.push(prompt)
    return [text(`heard: ${prompt}`)]
  })
  const agent = Layer.effect(
    AgentRuntime,
    Effect.map(AgentRuntime, (runtime) => ({
      ...runtime,
      open: (params?: AgentOpenParams) =>
        Effect.andThen(
          Effect.suspend(() => ready(++opened)),
          runtime.open(params)
        )
    }))
  ).pipe(Layer.provide(scripted))
  return { agent, prompts, opened: () => opened }
}

const message = (updateId: string, input: string): ChannelMessage => ({
  ...{ conversation: { channel: "test", accountId: "bot", chatId: "1" }, updateId, chat: "direct", sentAt: 1 },
  ...{ sender: { id: "ann", isBot: false }, text: input, attachments: [], addressed: true }
})

/** The first session opens once it is released. */
const gated = Effect.gen(function* () {
  const [begun, gate] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
  return {
    opening: Deferred.await(begun),
    release: Deferred.succeed(gate, undefined),
    ready: (nth: number) =>
      nth > 1 ? Effect.void : Effect.andThen(Deferred.succeed(begun, undefined), Deferred.await(gate))
  }
})

describe("a stop", () => {
  it.live("right behind a message prevents the call of the agent", () =>
    Effect.gen(function* () {
      const { agent, prompts } = makeAgent()
      const { say, shown: visible, ours } = yield* (yield* bridgeOf(agent))()
      yield* say("remove everything")
      yield* say("/stop")
      yield* visible("ann", "Stopped.")
      yield* say("hello")
      yield* visible("ann", "heard: hello")
      assert.deepStrictEqual(prompts, ["hello"])
      assert.notInclude(
        ours("ann").map((message) => message.text),
        "heard: remove everything"
      )
    }).pipe(Effect.scoped)
  )

  it.live("while a session opens prevents the call of the agent", () =>
    Effect.gen(function* () {
      const { opening, release, ready } = yield* gated
      const { agent, prompts } = makeAgent(ready)
      const { say, shown: visible } = yield* (yield* bridgeOf(agent))()
      yield* say("remove everything")
      yield* opening
      yield* say("/stop")
      yield* visible("ann", "Stopped.")
      yield* release
      yield* say("hello")
      yield* visible("ann", "heard: hello")
      assert.deepStrictEqual(prompts, ["hello"])
    }).pipe(Effect.scoped)
  )

  it.live("works by the signal of handle, while a session opens", () =>
    Effect.gen(function* () {
      const { opening, release, ready } = yield* gated
      const { agent, prompts } = makeAgent(ready)
      const layer = ChannelBridge.layer({ agents: { test: agent } })
      const context = yield* Layer.build(Layer.provide(layer, [Store.layerMemory(), nodePlatform]))
      const { handle, stop } = Context.get(context, ChannelBridge)
      const stopper = new AbortController()
      const handled = yield* Effect.forkChild(handle(message("1", "one"), {}, stopper.signal))
      yield* opening
      stopper.abort()
      const { run } = yield* Fiber.join(handled)
      assert.strictEqual(run.outcome, "aborted")
      yield* release
      assert.isFalse(yield* stop(message("1", "one").conversation))
      assert.strictEqual((yield* handle(message("2", "two"))).run.text, "heard: two")
      assert.deepStrictEqual(prompts, ["two"])
    }).pipe(Effect.scoped)
  )

  it.live("during a pause keeps the waiting messages", () =>
    Effect.gen(function* () {
      const { agent, prompts } = makeAgent()
      const { say, shown: visible } = yield* (yield* bridgeOf(agent))()
      yield* say("/pause")
      yield* visible("ann", "Paused")
      yield* say("keep this")
      yield* say("/stop")
      yield* visible("ann", "Nothing is running.")
      yield* say("/pause")
      yield* visible("ann", "heard: keep this")
      assert.deepStrictEqual(prompts, ["keep this"])
    }).pipe(Effect.scoped)
  )
})

describe("the stop button of a channel", () => {
  it.live("below a draft stops the turn of that draft, and no other; a stranger's stops nothing", () =>
    Effect.gen(function* () {
      let isEnded = false
      const begun = yield* Deferred.make<void>()
      const held = Stream.unwrap(Effect.as(Deferred.succeed(begun, undefined), Stream.never)).pipe(
        Stream.ensuring(
          Effect.sync(() => {
            isEnded = true
          })
        )
      )
      const agent = TestRuntime.layer(({ prompt }) => (prompt === "hold" ? held : [text(`heard: ${prompt}`)]))
      const { say, hear, shown: visible, ours, confirmed, until } = yield* (yield* bridgeOf(agent))()
      const conversation = { channel: "scripted", accountId: "bot", chatId: "ann" }
      const draftOf = (updateId: string) => draftIdOf(turnIdOf({ ...message(updateId, ""), conversation }))
      const stop = (updateId: string, draftId: number | undefined, id = "ann") =>
        hear({
          ...{ _tag: "StopAsked", conversation, updateId, chat: "direct", sender: { id, isBot: false } },
          ...(draftId === undefined ? {} : { draftId })
        })
      yield* say("one", { updateId: "first" })
      yield* visible("ann", "heard: one")
      yield* say("hold", { updateId: "second" })
      yield* Deferred.await(begun)
      const before = confirmed()
      yield* stop("s1", draftOf("first"))
      yield* stop("s2", draftOf("second"), "eve")
      yield* stop("s3", undefined, "eve")
      yield* until(() => (confirmed() === before + 3 ? true : undefined))
      yield* say("/whoami")
      yield* visible("ann", "your role is owner")
      assert.isFalse(isEnded)
      yield* stop("s4", draftOf("second"))
      yield* visible("ann", "Stopped.")
      assert.isTrue(isEnded)
      yield* stop("s5", draftOf("second"))
      yield* say("two")
      yield* visible("ann", "heard: two")
      assert.lengthOf(
        ours("ann").filter((each) => /Stopped|Nothing is running/.test(each.text)),
        1
      )
    }).pipe(Effect.scoped)
  )
})

describe("a store that cannot be written for a moment", () => {
  it.live("loses no message: it is asked again", () =>
    Effect.gen(function* () {
      const reason = new StoreUnavailable({ problem: "database is locked" })
      const unavailable = new AgentError({ cli: "test", reason, result: resultOfNothing(reason), hadOutput: false })
      const { agent, prompts, opened } = makeAgent((nth) => (nth <= 2 ? Effect.fail(unavailable) : Effect.void))
      const { say, shown: visible, ours } = yield* (yield* bridgeOf(agent))()
      yield* say("hello")
      yield* visible("ann", "heard: hello")
      assert.deepStrictEqual(prompts, ["hello"])
      assert.isAbove(opened(), 2)
      assert.deepStrictEqual(
        ours("ann").map((each) => each.text),
        ["heard: hello"]
      )
    }).pipe(Effect.scoped)
  )
})

describe("incoming updates", () => {
  const received = (word: string, confirmed: Array<string>): Heard => ({
    incoming: { _tag: "Message", message: message(word, word) },
    confirm: Effect.sync(() => void confirmed.push(word))
  })
  const wordOf = ({ incoming }: Heard) => (incoming._tag === "Message" ? incoming.message.text : "")

  it.effect("are confirmed in order, while urgent ones overtake waiting ones", () =>
    Effect.gen(function* () {
      const [confirmed, done]: [Array<string>, Array<string>] = [[], []]
      const gate = yield* Deferred.make<void>()
      const acted = yield* Queue.unbounded<string>()
      const words = ["one", "stop 1", "two", "stop 2", "broken", "three"]
      const all = words.map((word) => received(word, confirmed))
      yield* Effect.forkScoped(
        listen(Stream.concat(Stream.fromIterable(all), Stream.never), {
          isUrgent: (input) => /stop|broken/.test(wordOf(input)),
          actEarly: (input) =>
            wordOf(input) === "broken"
              ? Effect.die(new Error("broken"))
              : Effect.as(
                  Queue.offer(acted, wordOf(input)),
                  Effect.andThen(
                    Effect.sync(() => void done.push(`again ${wordOf(input)}`)),
                    input.confirm
                  )
                ),
          handle: (input) =>
            Effect.gen(function* () {
              if (wordOf(input) === "one") yield* Deferred.await(gate)
              done.push(wordOf(input))
              yield* input.confirm
            })
        })
      )
      assert.deepStrictEqual([yield* Queue.take(acted), yield* Queue.take(acted)], ["stop 1", "stop 2"])
      assert.deepStrictEqual(confirmed, [])
      yield* Deferred.succeed(gate, undefined)
      yield* Effect.repeat(Effect.yieldNow, { until: () => confirmed.length === words.length })
      assert.deepStrictEqual(confirmed, words)
      assert.deepStrictEqual(done, ["one", "again stop 1", "two", "again stop 2", "broken", "three"])
    }).pipe(Effect.scoped)
  )
})
