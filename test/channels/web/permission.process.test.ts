/** A reader's permission is checked again while they read: an open stream ends with it. */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { WebChat } from "../../../src/channels/web/WebChat.ts"
import type { WebPerson } from "../../../src/channels/web/WebChatOptions.ts"
import { Store } from "../../../src/conversations/store/Store.ts"
import { soon } from "./soon.ts"

const opened = Effect.fnUntraced(function* (authorize: () => WebPerson | undefined) {
  const { handler } = yield* WebChat.make({ authorize })
  const response = yield* Effect.promise(() => handler(new Request("http://page.example/events")))
  assert.strictEqual(response.status, 200)
  const reader = response.body?.getReader()
  if (reader === undefined) return yield* Effect.die("the stream is missing")
  const decoder = new TextDecoder()
  const next = Effect.map(
    Effect.suspend(() => soon(reader.read())),
    ({ value, at }) => ({ text: value.done ? undefined : decoder.decode(value.value), at })
  )
  assert.include((yield* next).text, "event: hello")
  return { next }
})

describe("an open stream", () => {
  const revoked: ReadonlyArray<readonly [string, WebPerson | undefined]> = [
    ["is no longer a person", undefined],
    ["is another person", { id: "bob" }]
  ]
  it.effect.each(revoked)("ends within 15 s of the moment at which its person %s", ([, later]) =>
    Effect.gen(function* () {
      let [who, request]: [WebPerson | undefined, number] = [{ id: "ann" }, 0]
      const { next } = yield* opened(() => {
        request += 1
        return who
      })
      const beats: Array<string | undefined> = []
      let at = 0
      while (at < 60_000) {
        const frame = yield* next
        at = frame.at
        beats.push(frame.text)
      }
      assert.isFalse(beats.includes(undefined), "it goes on as long as they may")
      assert.isAtLeast(request, 1 + 4, "once for the request, and every 15 s")
      assert.isAtMost(request, 1 + 5)
      who = later
      const since = at
      while (true) {
        const frame = yield* next
        at = frame.at
        if (frame.text === undefined) break
      }
      assert.isAtMost(at - since, 15_400)
    }).pipe(Effect.scoped, Effect.provide(Store.layerMemory()))
  )

  it.effect("ends as well where the application cannot say who it is", () =>
    Effect.gen(function* () {
      let isThere = true
      const { next } = yield* opened(() => {
        if (!isThere) throw new Error("the session store is gone")
        return { id: "ann" }
      })
      isThere = false
      let text: string | undefined = ""
      while (text !== undefined) ({ text } = yield* next)
      assert.isAtMost(yield* Clock.currentTimeMillis, 15_400)
    }).pipe(Effect.scoped, Effect.provide(Store.layerMemory()))
  )
})
