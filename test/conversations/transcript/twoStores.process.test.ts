import { expect, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import type { OpenStore } from "../../../src/conversations/store/OpenStore.ts"
import { Store } from "../../../src/conversations/store/Store.ts"
import { makeTranscriptObserver } from "../../../src/conversations/transcript/observer.ts"
import { makeDirectory } from "../../kit/temporary.ts"
import { addSession, observedRun, sessionEvent, text, transcriptOf } from "../kit/rows.ts"

const runs = (store: OpenStore, name: string) =>
  Effect.scoped(
    Effect.gen(function* () {
      const observer = yield* makeTranscriptObserver(store)
      for (let count = 0; count < 20; count++) {
        const run = observedRun(observer, name)
        yield* run.give(sessionEvent(), text(`${count}`))
        yield* Effect.yieldNow
        yield* run.end
      }
    })
  )

it.live("two that have a store open write one transcript, in one count without a gap", () =>
  Effect.gen(function* () {
    const directory = yield* makeDirectory
    const open = Effect.map(Layer.build(Layer.fresh(Store.layerFile({ directory }))), Context.get(Store))
    const [one, other] = [yield* open, yield* open]
    yield* addSession(one)
    yield* Effect.all([runs(one, "one"), runs(other, "other")], { concurrency: 2 })
    const events = yield* transcriptOf(one)
    expect(events.map(({ position }) => position)).toEqual(Array.from({ length: 120 }, (_, index) => index + 1))
  }).pipe(Effect.scoped)
)
