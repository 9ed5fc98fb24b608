/** Which refusals may be sent again, and what a press gets that the bridge does not answer. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Stream } from "effect"
import { TestClock } from "effect/testing"
import { refusal } from "../../../src/channels/web/http/respond.ts"
import { Arrived, Presses, type WaitingPress } from "../../../src/channels/web/incoming.ts"
import { Problem, problems } from "../../../src/channels/web/problem.ts"
import { WebChat } from "../../../src/channels/web/WebChat.ts"
import { Store } from "../../../src/conversations/store/Store.ts"
import { uuid } from "./page.ts"
import { soon } from "./soon.ts"

const press = (id: string): WaitingPress => ({
  behind: 0,
  pressed: {
    ...{ _tag: "Pressed", updateId: id, press: { id }, data: "t:x" },
    ...{ conversation: { channel: "web", accountId: "web", chatId: "ann/1" }, chat: "direct" },
    sender: { id: "ann", isBot: false }
  }
})

describe("a refusal", () => {
  const all = Object.entries(problems).map(([name, input]): readonly [string, Problem] => [
    name,
    input instanceof Problem ? input : input("something")
  ])
  it.each(all)("%s says by its status, and by retry-after, whether it may be sent again", (_, refused) => {
    const { status, headers } = refusal(refused)
    assert.strictEqual(headers.has("retry-after"), [408, 429, 503].includes(status))
    assert.include([400, 401, 403, 404, 408, 413, 429, 500, 503, 507], status)
  })
})

describe("a press", () => {
  it.effect("that the bridge has not heard may be sent again; one that it has heard is not said to be undone", () =>
    Effect.gen(function* () {
      const presses = yield* Presses
      const input = press("ann/1/a")
      const first = yield* Effect.forkChild(presses.press(input))
      yield* TestClock.adjust("15 seconds")
      assert.strictEqual(yield* Fiber.join(first), "unheard")
      assert.isUndefined(presses.next(0), "it is not heard later")
      const again = yield* Effect.forkChild(presses.press(input))
      yield* TestClock.adjust("1 second")
      assert.strictEqual(presses.next(0), input.pressed)
      yield* TestClock.adjust("15 seconds")
      assert.strictEqual(yield* Fiber.join(again), "unanswered")
      const third = yield* Effect.forkChild(presses.press(input))
      yield* TestClock.adjust("1 second")
      assert.isUndefined(presses.next(0), "it is not heard twice")
      presses.acknowledge(input.pressed, "Stopped.")
      assert.deepStrictEqual(yield* Fiber.join(third), { text: "Stopped." })
    }).pipe(Effect.provide(Layer.provide(Presses.layer, Arrived.layer)))
  )

  it.effect("is refused for a while if it was not delivered, and taken if its outcome is unknown", () =>
    Effect.gen(function* () {
      const { handler, channel } = yield* WebChat.make({ authorize: () => ({ id: "ann" }) })
      yield* channel.watch?.({ _tag: "Served", agents: ["a"], agent: "a", directories: [], roleOf: () => "user" }) ??
        Effect.void
      const conversation = uuid()
      const post = Effect.fnUntraced(function* (path: string, body: object) {
        const headers = { "content-type": "application/json" }
        const init = { method: "POST", body: JSON.stringify({ id: uuid(), conversation, ...body }), headers }
        const { value } = yield* soon(handler(new Request(`http://page.example/${path}`, init)))
        return value
      })
      assert.strictEqual((yield* post("messages", { text: "hello" })).status, 202)
      const stop = { press: { do: "button", data: "t:x" } }
      const refused = yield* post("press", stop)
      assert.deepStrictEqual([refused.status, refused.headers.get("retry-after")], [503, "2"])
      yield* Effect.forkChild(Stream.runDrain(channel.incoming(undefined)))
      const taken = yield* post("press", stop)
      assert.deepStrictEqual([taken.status, taken.headers.get("retry-after")], [202, null])
      assert.match(yield* Effect.promise(() => taken.text()), /has not said yet/)
    }).pipe(Effect.scoped, Effect.provide(Store.layerMemory()))
  )
})
