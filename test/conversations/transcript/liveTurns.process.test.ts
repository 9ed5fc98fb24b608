import { expect, it } from "@effect/vitest"
import { Effect, Layer, Stream } from "effect"
import { AgentRuntime, observersLayer } from "reins"
import { FakeCli, LiveStep, Step } from "reins/testing"
import { InstalledFake } from "reins/testing/effect"
import { Store } from "../../../src/conversations/store/Store.ts"
import { makeTranscriptObserver } from "../../../src/conversations/transcript/observer.ts"
import { addSession, transcriptOf } from "../kit/rows.ts"

it.live("has the prompt of each turn of a live session before its answer", () =>
  Effect.gen(function* () {
    const store = yield* Store
    const fake = FakeCli.live("claude", [[LiveStep.text("One.")], [LiveStep.text("Two.")], [LiveStep.text("Three.")]])
    const session = Effect.gen(function* () {
      const live = yield* AgentRuntime.use((agent) => agent.open())
      yield* Stream.runDrain(live.turn("one?"))
      yield* addSession(store, { session_id: live.sessionId ?? "" })
      yield* Effect.all([Stream.runDrain(live.turn("two?")), Stream.runDrain(live.turn("three?"))], { concurrency: 2 })
    })
    yield* Effect.scoped(
      Effect.gen(function* () {
        const observer = yield* makeTranscriptObserver(store)
        const observers = observersLayer(observer === undefined ? [] : [observer])
        yield* session.pipe(Effect.scoped, Effect.provide(InstalledFake.layer(fake).pipe(Layer.provide(observers))))
      })
    )
    const events = yield* transcriptOf(store)
    const words = events.flatMap(({ event }) =>
      "text" in event && typeof event.text === "string" ? [event.text] : event.type === "turn_done" ? ["turn_done"] : []
    )
    expect(words).toEqual(["one?", "One.", "turn_done", "two?", "Two.", "turn_done", "three?", "Three.", "turn_done"])
    expect(events.at(-1)?.event.type).toBe("done")
  }).pipe(Effect.provide(Store.layerMemory()))
)

it.live("has no secret of a run", () =>
  Effect.gen(function* () {
    const store = yield* Store
    const fake = FakeCli.claude([Step.text("The token is s3cret-token.")])
    const run = AgentRuntime.use((agent) =>
      Stream.runForEach(
        agent.execute({ prompt: "what is s3cret-token?", env: { MY_TOKEN: "s3cret-token" } }),
        (event) =>
          event.type === "session" ? Effect.asVoid(addSession(store, { session_id: event.sessionId })) : Effect.void
      )
    )
    yield* Effect.scoped(
      Effect.gen(function* () {
        const observer = yield* makeTranscriptObserver(store)
        const observers = observersLayer(observer === undefined ? [] : [observer])
        yield* run.pipe(Effect.provide(InstalledFake.layer(fake).pipe(Layer.provide(observers))))
      })
    )
    const visible = JSON.stringify(yield* transcriptOf(store))
    expect(visible).toContain("what is <redacted>?")
    expect(visible).toContain("The token is <redacted>.")
    expect(visible).not.toContain("s3cret")
  }).pipe(Effect.provide(Store.layerMemory()))
)
