/** A stop of an agent that takes seconds to end is acknowledged at once, and settled when the agent is gone. */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Deferred, Effect, Stream } from "effect"
import { TestClock } from "effect/testing"
import type { BridgeOptions } from "../../src/bridge/BridgeOptions.ts"
import type { AgentEvent } from "../../src/contract/AgentEvent.ts"
import type { ScriptedLack } from "../../src/testing/channels/methods.ts"
import * as TestRuntime from "../../src/testing/TestRuntime.ts"
import { bridgeOf } from "./bridgeOf.ts"

const atWork: AgentEvent = { type: "text", text: "at work" }

/** Lets virtual time pass until something is so. */
const passing = (isSo: () => boolean) =>
  Effect.gen(function* () {
    for (let steps = 0; !isSo(); steps++) {
      assert.isBelow(steps, 300)
      yield* TestClock.adjust("100 millis")
      yield* TestClock.withLive(Effect.sleep(1))
    }
  })

const replied = (texts: () => ReadonlyArray<string>, reply: string, times = 1) =>
  passing(() => texts().filter((text) => text === reply).length === times)

const appears = (texts: () => ReadonlyArray<string>, part: string) =>
  passing(() => texts().some((text) => text.includes(part)))

/** An agent that works until it is stopped, and is gone when `release` is run. */
const stubborn = (options: Partial<BridgeOptions> = {}, lacks: ReadonlyArray<ScriptedLack> = []) =>
  Effect.gen(function* () {
    const gone = yield* Deferred.make<void>()
    let hasBegun = false
    const agent = TestRuntime.layer(({ prompt }) =>
      prompt === "work"
        ? Stream.concat(
            Stream.sync(() => {
              hasBegun = true
              return atWork
            }),
            Stream.ensuring(Stream.never, Deferred.await(gone))
          )
        : [{ type: "text", text: `heard: ${prompt}` }]
    )
    const chat = yield* (yield* bridgeOf(agent, { progress: "edit", ...options }))({ lacks })
    // Otherwise the agent of a test that fails would never end.
    yield* Effect.addFinalizer(() => Deferred.succeed(gone, undefined))
    yield* chat.say("work")
    yield* passing(() => hasBegun)
    return {
      ...chat,
      progress: chat.seen("ann", "⏳"),
      release: Deferred.succeed(gone, undefined),
      texts: () => chat.ours("ann").map(({ text }) => text)
    }
  })

/** Virtual seconds that pass until the work is done. */
const secondsOf = <R>(work: Effect.Effect<unknown, never, R>) =>
  Effect.gen(function* () {
    const before = yield* Clock.currentTimeMillis
    yield* work
    return ((yield* Clock.currentTimeMillis) - before) / 1_000
  })

describe.each([true, false])("an agent that does not end at once (live: %s)", (live) => {
  it.effect("is shown as stopping within a second of /stop, without the button, and as stopped when it is gone", () =>
    Effect.gen(function* () {
      const { say, seen: finds, progress, release, texts } = yield* stubborn({ live })
      const { messageId, buttons } = yield* progress
      assert.deepStrictEqual(buttons, ["Stop"])
      yield* say("/stop")
      assert.isAtMost(yield* secondsOf(Effect.all([appears(texts, "⏳ Stopping…"), replied(texts, "Stopping…")])), 1)
      assert.deepStrictEqual((yield* finds("ann", "⏳ Stopping…")).buttons, [])
      // Pressed again: it is still stopping.
      yield* say("/stop")
      yield* replied(texts, "Stopping…", 2)
      assert.notInclude(texts(), "Stopped.")
      yield* release
      yield* replied(texts, "Stopped.", 2)
      assert.strictEqual((yield* finds("ann", "■ stopped")).messageId, messageId)
      yield* say("hello")
      yield* finds("ann", "heard: hello")
    }).pipe(Effect.scoped)
  )

  it.effect("is shown as stopping within a second of a press of Stop", () =>
    Effect.gen(function* () {
      const { press, seen: finds, progress, release, acknowledgements, texts } = yield* stubborn({ live })
      const { messageId } = yield* progress
      yield* press(messageId, "Stop")
      const answered = passing(() => acknowledgements().length > 0)
      assert.isAtMost(yield* secondsOf(Effect.andThen(appears(texts, "⏳ Stopping…"), answered)), 1)
      assert.strictEqual(acknowledgements()[0]?.text, "Stopping…")
      yield* release
      yield* finds("ann", "■ stopped")
      assert.notInclude(texts(), "Stopped.")
    }).pipe(Effect.scoped)
  )

  it.effect("is shown as stopping before a new session begins", () =>
    Effect.gen(function* () {
      const { say, seen: finds, release, texts } = yield* stubborn({ live })
      yield* say("/new")
      assert.isAtMost(yield* secondsOf(replied(texts, "Stopping…")), 1)
      yield* release
      yield* finds("ann", "A new session begins.")
    }).pipe(Effect.scoped)
  )

  it.effect("is told to stop where messages cannot be edited", () =>
    Effect.gen(function* () {
      const { say, release, texts } = yield* stubborn({ live }, ["edit"])
      yield* say("/stop")
      assert.isAtMost(yield* secondsOf(replied(texts, "Stopping…")), 1)
      yield* release
      yield* replied(texts, "Stopped.")
      assert.notInclude(texts().join(), "⏳ Stopping…")
    }).pipe(Effect.scoped)
  )
})
