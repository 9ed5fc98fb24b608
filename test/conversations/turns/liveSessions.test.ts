/** Sessions of keys: which of them a turn gets. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Scope } from "effect"
import { makeLiveSessions } from "../../../src/conversations/turns/liveSessions.ts"

const scripted = Effect.gen(function* () {
  const opened: Array<{ readonly session: { isOver: boolean }; readonly forget: Effect.Effect<void> }> = []
  const log: Array<string> = []
  const sessions = yield* makeLiveSessions({
    open: (_, forget) =>
      Effect.gen(function* () {
        const entry = { session: { isOver: false }, forget, number: opened.length + 1 }
        opened.push(entry)
        log.push(`open ${entry.number}`)
        yield* Effect.addFinalizer(() => Effect.sync(() => log.push(`close ${entry.number}`)))
        return entry
      }),
    idleTimeToLive: "1 minute"
  })
  return { ...sessions, opened, log, turn: Effect.scoped(Effect.map(sessions.get("a"), ({ number }) => number)) }
})

describe("the live session of a key", () => {
  it.effect("is shared by its turns", () =>
    Effect.gen(function* () {
      const { turn } = yield* scripted
      assert.deepStrictEqual([yield* turn, yield* turn], [1, 1])
    })
  )

  it.effect("that is over is never given to a turn, and nothing is left of it before the next one opens", () =>
    Effect.gen(function* () {
      const { turn, opened, log } = yield* scripted
      yield* turn
      for (const { session } of opened) session.isOver = true
      assert.strictEqual(yield* turn, 2)
      assert.deepStrictEqual(log, ["open 1", "close 1", "open 2"])
      assert.strictEqual(yield* turn, 2)
    })
  )

  it.effect("is kept when an earlier one ends late", () =>
    Effect.gen(function* () {
      const { get, close, turn, opened } = yield* scripted
      const earlier = yield* Scope.make()
      yield* Scope.provide(get("a"), earlier)
      yield* close("a")
      assert.strictEqual(yield* turn, 2)
      yield* opened[0]?.forget ?? Effect.void
      yield* Scope.close(earlier, Exit.void)
      assert.strictEqual(yield* turn, 2)
    })
  )
})
