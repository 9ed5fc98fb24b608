/** Who hears what of a session: the first listener all of it, whoever comes later what comes then. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Stream } from "effect"
import type { AgentEvent } from "../../src/contract/AgentEvent.ts"
import { type Audience, makeAudience } from "../../src/session/audience.ts"
import { openFilesIn, ownTmpdir } from "../kit/files.ts"

const text = (name: string): AgentEvent => ({ type: "text", text: name })

const offer = (audience: Audience, ...names: ReadonlyArray<string>) => {
  for (const name of names) audience.offer(text(name), 100)
}

const words = (events: ReadonlyArray<AgentEvent>) =>
  events.map((event) => (event.type === "text" ? event.text : event.type))

const listen = (audience: Audience) =>
  Effect.forkChild(Effect.map(Stream.runCollect(audience.events), words), { startImmediately: true })

describe("the audience", () => {
  it.effect("gives the first listener what was before it, and all that follows", () =>
    Effect.gen(function* () {
      const audience = makeAudience()
      offer(audience, "a", "b")
      const first = yield* listen(audience)
      offer(audience, "c")
      audience.end()
      assert.deepStrictEqual(yield* Fiber.join(first), ["a", "b", "c"])
    })
  )

  it.effect("gives whoever comes later what comes then, each at its own pace", () =>
    Effect.gen(function* () {
      const audience = makeAudience()
      offer(audience, "a")
      const first = yield* listen(audience)
      offer(audience, "b")
      const second = yield* listen(audience)
      offer(audience, "c")
      audience.end()
      assert.deepStrictEqual(yield* Fiber.join(first), ["a", "b", "c"])
      assert.deepStrictEqual(yield* Fiber.join(second), ["c"])
    })
  )

  it.effect("gives all of it to the first listener after the end, and the last event to those behind", () =>
    Effect.gen(function* () {
      const audience = makeAudience()
      offer(audience, "a", "b")
      audience.end()
      assert.deepStrictEqual(words(yield* Stream.runCollect(audience.events)), ["a", "b"])
      assert.deepStrictEqual(words(yield* Stream.runCollect(audience.events)), ["b"])
      assert.deepStrictEqual(words(yield* Stream.runCollect(audience.events)), ["b"])
    })
  )

  it.effect("is heard by nobody and ends", () =>
    Effect.gen(function* () {
      const audience = makeAudience()
      audience.end()
      assert.deepStrictEqual(yield* Stream.runCollect(audience.events), [])
      assert.deepStrictEqual(yield* Stream.runCollect(audience.events), [])
    })
  )

  it.effect("lets go of what is too much for nobody, and tells how much that was", () =>
    Effect.gen(function* () {
      const audience = makeAudience(250)
      offer(audience, "a", "b", "c", "d")
      const first = yield* listen(audience)
      offer(audience, "e")
      audience.end()
      const second = yield* listen(audience)
      assert.deepStrictEqual(yield* Fiber.join(first), ["notice", "d", "e"])
      assert.deepStrictEqual(yield* Fiber.join(second), ["e"])
    })
  )

  it.effect("counts all that it let go", () =>
    Effect.gen(function* () {
      const audience = makeAudience(250)
      offer(audience, "a", "b", "c", "d", "e", "f", "g")
      const [notice] = yield* Stream.runCollect(Stream.take(audience.events, 1))
      assert.deepInclude(notice, { type: "notice", kind: "warning", data: { events: 6 } })
    })
  )

  it.effect("leaves no file open of what it let go", () =>
    Effect.gen(function* () {
      const directory = yield* ownTmpdir
      const audience = makeAudience()
      const word: AgentEvent = { type: "text", text: "a" }
      // Each half of what is kept, and a bit more.
      for (let round = 0; round < 10; round++) audience.offer(word, 9 * 1024 * 1024)
      assert.deepStrictEqual(openFilesIn(directory), [])
    })
  )

  it.effect("forgets a listener that has gone", () =>
    Effect.gen(function* () {
      const audience = makeAudience()
      offer(audience, "a")
      assert.deepStrictEqual(words(yield* Stream.runCollect(Stream.take(audience.events, 1))), ["a"])
      offer(audience, "b")
      const second = yield* listen(audience)
      offer(audience, "c")
      audience.end()
      assert.deepStrictEqual(yield* Fiber.join(second), ["c"])
    })
  )
})
