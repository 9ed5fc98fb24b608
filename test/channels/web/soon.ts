/** A promise under a clock of the test, which goes on meanwhile. */
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"

/** Its value, and when it was there. */
export const soon = Effect.fnUntraced(function* <A>(promise: Promise<A>) {
  let found: { readonly value: A } | undefined
  void promise.then((value) => {
    found = { value }
  })
  while (found === undefined) {
    yield* TestClock.withLive(Effect.sleep(1))
    if (found === undefined) yield* TestClock.adjust("200 millis")
  }
  return { value: found.value, at: yield* Clock.currentTimeMillis }
})
