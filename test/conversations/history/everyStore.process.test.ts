/** The same questions to a store, whatever it is on. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { makeHistory } from "../../../src/conversations/history/guarded.ts"
import { makeTranscriptObserver } from "../../../src/conversations/transcript/observer.ts"
import { addSession, observedRun, sessionEvent, text, transcriptOf } from "../kit/rows.ts"
import { openIn, storeKinds } from "../store/stores.ts"
import { contextOf, reasonOf } from "./kit.ts"

const used = 1_790_000_000_000

describe.each(storeKinds)("$name", ({ place }) => {
  it.live("lists, finds, renames, forks, clears, archives, adopts, exports and forgets sessions", () =>
    Effect.gen(function* () {
      const store = yield* openIn(yield* place)
      const history = makeHistory(contextOf(store, new Set()))
      for (let index = 0; index < 120; index++) yield* addSession(store, { key: `key-${index}`, used: used + index })
      const listed = yield* Stream.runCollect(history.list())
      expect(listed.map(({ usedAt }) => usedAt)).toEqual(Array.from({ length: 120 }, (_, index) => used + 119 - index))
      expect((yield* history.get("id-of-key-119")).usedAt).toBe(used + 119)
      expect(yield* reasonOf(history.get("key"))).toMatchObject({ _tag: "AmbiguousSession" })
      expect(yield* reasonOf(history.get("kye-1"))).toMatchObject({ _tag: "UnknownSession", nearest: "key-1" })
      expect((yield* history.rename("key-1", "Bills")).title).toBe("Bills")
      yield* history.adopt("key-1", { conversation: ["a", "b"] })
      expect((yield* history.get({ conversation: ["a", "b"] })).id).toBe("key-1")
      expect(yield* Stream.runCollect(history.list({ conversation: ["a", "b"] }))).toHaveLength(1)
      yield* history.fork("key-1", { conversation: "c" })
      yield* history.clear("c")
      expect((yield* reasonOf(history.get({ conversation: "c" })))._tag).toBe("UnknownSession")
      expect((yield* history.archive("key-1")).state).toBe("archived")
      expect(yield* Stream.runCollect(history.list({ all: true, limit: 1 }))).toHaveLength(1)
      yield* history.forget("key-2")
      expect((yield* reasonOf(history.get({ cli: "claude", sessionId: "id-of-key-2" })))._tag).toBe("UnknownSession")
    }).pipe(Effect.scoped)
  )

  it.live("keeps transcripts, of the sessions used last", () =>
    Effect.gen(function* () {
      const store = { ...(yield* openIn(yield* place)), keep: { sessionsMs: 1_000, transcripts: 1, turnsMs: 1_000 } }
      const history = makeHistory(contextOf(store, new Set()))
      const answer = 'with "quotes", \u0000, \u202e, 漢字 and \ud83d\ude00'
      for (const key of ["old", "new"]) {
        yield* addSession(store, { key, used: key === "old" ? used : used + 1 })
        yield* Effect.scoped(
          Effect.gen(function* () {
            const run = observedRun(yield* makeTranscriptObserver(store), "why?")
            yield* run.give(sessionEvent(key), text(answer), { type: "unknown", raw: { a: [1] } })
            yield* run.end
          })
        )
      }
      expect((yield* transcriptOf(store, "new")).map(({ position, event }) => [position, event.type])).toEqual([
        [1, "prompt"],
        [2, "session"],
        [3, "text"],
        [4, "unknown"]
      ])
      expect((yield* transcriptOf(store, "new", 2))[0]?.event).toEqual(text(answer))
      expect((yield* reasonOf(transcriptOf(store, "old")))._tag).toBe("NotKept")
      const lines = (yield* Stream.mkString(history.export("new", "json"))).trimEnd().split("\n")
      expect(lines.map((line) => JSON.parse(line)).at(2)).toMatchObject({ position: 2, event: sessionEvent("new") })
    }).pipe(Effect.scoped)
  )
})
