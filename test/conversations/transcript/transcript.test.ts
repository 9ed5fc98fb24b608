import { describe, expect, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Queue, type Scope, Stream } from "effect"
import { TestClock } from "effect/testing"
import type { TranscriptEvent } from "../../../src/contract/Sessions.ts"
import type { StoreError } from "../../../src/contract/StoreError.ts"
import type { OpenStore } from "../../../src/conversations/store/OpenStore.ts"
import { Store } from "../../../src/conversations/store/Store.ts"
import { transcriptEvents } from "../../../src/conversations/transcript/events.ts"
import { makeTranscriptObserver } from "../../../src/conversations/transcript/observer.ts"
import { addRow, addSession, observedRun, prompt, sessionEvent, text, transcriptOf } from "../kit/rows.ts"

const memory = (transcripts = 20) => Store.layerMemory({ keep: { transcripts } })

const inMemory = <A, E>(test: (store: OpenStore) => Effect.Effect<A, E, Scope.Scope>, transcripts?: number) =>
  Effect.flatMap(Store, test).pipe(Effect.provide(memory(transcripts)), Effect.scoped)

/** All that was observed is written when its scope has closed. */
const observing = <A>(
  store: OpenStore,
  use: (observer: Effect.Success<ReturnType<typeof makeTranscriptObserver>>) => Effect.Effect<A>,
  mostPending?: number
) => Effect.scoped(Effect.flatMap(makeTranscriptObserver(store, mostPending), use))

const runOf = (store: OpenStore, request: string, answer: string, key = "key-1") =>
  observing(store, (observer) => {
    const run = observedRun(observer, request)
    return Effect.andThen(run.give(sessionEvent(key), text(answer)), run.end)
  })

const shortOf = (events: ReadonlyArray<TranscriptEvent>) =>
  events.map(({ position, event }) => [position, "text" in event ? event.text : event.type])

const codeOf = <A>(effect: Effect.Effect<A, StoreError>) => Effect.map(Effect.flip(effect), ({ reason }) => reason._tag)

describe("a transcript", () => {
  it.effect("has the prompts and events of all runs of a session, in one count", () =>
    inMemory((store) =>
      Effect.gen(function* () {
        yield* addSession(store)
        yield* runOf(store, "one?", "One.")
        yield* runOf(store, "two?", "Two.")
        const events = yield* transcriptOf(store)
        expect(shortOf(events)).toEqual([
          [1, "one?"],
          [2, "session"],
          [3, "One."],
          [4, "two?"],
          [5, "session"],
          [6, "Two."]
        ])
        expect(new Set(events.map(({ runId }) => runId)).size).toBe(2)
        expect(events[0]).toMatchObject({ at: 1_000, event: prompt("one?") })
      })
    )
  )

  it.effect("has text that came together as one event", () =>
    inMemory((store) =>
      Effect.gen(function* () {
        yield* addSession(store)
        yield* observing(store, (observer) => {
          const run = observedRun(observer, "p")
          const thinking = { type: "thinking", text: "hm" } as const
          return run.give(sessionEvent(), text("a"), text("b"), thinking, text("c"), {
            type: "text",
            text: "d",
            parentToolId: "1"
          })
        })
        expect(shortOf(yield* transcriptOf(store)).slice(2)).toEqual([
          [3, "ab"],
          [4, "hm"],
          [5, "c"],
          [6, "d"]
        ])
      })
    )
  )

  it.effect("has no secrets", () =>
    inMemory((store) =>
      Effect.gen(function* () {
        yield* addSession(store)
        yield* observing(store, (observer) => {
          const run = observedRun(observer, "use s3cret", (input) => input.replaceAll("s3cret", "<redacted>"))
          return run.give(sessionEvent(), text("It is s3"), text("cret."), {
            type: "tool_use",
            toolName: "Bash",
            toolId: "1",
            input: { env: ["s3cret"] }
          })
        })
        const { sql, read } = store
        const rows = yield* read(sql<{ event: string }>`select event from transcript`)
        expect(rows.map(({ event }) => event).join("\n")).not.toContain("s3cret")
        expect(rows.filter(({ event }) => event.includes("<redacted>"))).toHaveLength(3)
      })
    )
  )

  it.effect("has no secret that came in pieces, whenever these are written", () =>
    inMemory((store) =>
      Effect.gen(function* () {
        yield* addSession(store)
        const pieces = Array.from("My token is s3cret-token, and no other.")
        yield* observing(store, (observer) =>
          Effect.gen(function* () {
            const run = observedRun(observer, "p", (input) => input.replaceAll("s3cret-token", "<redacted>"))
            yield* run.give(sessionEvent())
            for (const piece of pieces) {
              yield* run.give(text(piece))
              // Reading writes what there is so far.
              yield* Effect.orDie(transcriptOf(store))
            }
          })
        )
        const events = (yield* transcriptOf(store)).map(({ event }) => ("text" in event ? event.text : ""))
        expect(events.slice(2).join("")).toBe("My token is <redacted>, and no other.")
        expect(events.length).toBeGreaterThan(4)
      })
    )
  )

  it.effect("of a run without a session is missing", () =>
    inMemory((store) =>
      Effect.gen(function* () {
        yield* addSession(store)
        yield* observing(store, (observer) => {
          const run = observedRun(observer, "p")
          return Effect.andThen(run.give(text("a")), run.end)
        })
        expect(yield* codeOf(transcriptOf(store))).toBe("NotKept")
      })
    )
  )

  it.effect("ends where its session was forgotten, and harms nothing", () =>
    inMemory((store) =>
      Effect.gen(function* () {
        const { sql, transact } = store
        yield* addSession(store)
        yield* observing(store, (observer) =>
          Effect.gen(function* () {
            const run = observedRun(observer, "p")
            yield* run.give(sessionEvent(), text("a"))
            yield* Effect.orDie(
              Stream.runDrain(Stream.take(transcriptEvents(store, "key-1"), 1)).pipe(Effect.retry({ times: 100 }))
            )
            yield* Effect.orDie(transact(sql`delete from sessions`))
            yield* run.give(text("b"))
            yield* run.end
          })
        )
        expect(yield* store.read(sql`select * from transcript`)).toEqual([])
      })
    )
  )

  it.effect("says how much it has not, where the store could not be written in time", () =>
    inMemory((store) =>
      Effect.gen(function* () {
        yield* observing(
          store,
          (observer) =>
            Effect.gen(function* () {
              const run = observedRun(observer, "p")
              yield* run.give(sessionEvent(), text("x".repeat(800)))
              for (let count = 0; count < 50; count++) yield* run.give(text("y".repeat(900)))
              // Only now there is a session to write to.
              yield* Effect.orDie(addSession(store))
              yield* run.end
            }),
          1_000
        )
        const events = yield* transcriptOf(store)
        expect(shortOf(events).slice(0, 3)).toEqual([
          [1, "p"],
          [2, "session"],
          [3, "x".repeat(800)]
        ])
        expect(events.at(-1)?.event).toMatchObject({ type: "notice", kind: "warning", data: { missing: 50 } })
      })
    )
  )

  it.effect("has an event of 10 MB", () =>
    inMemory((store) =>
      Effect.gen(function* () {
        yield* addSession(store)
        const output = "x".repeat(10_000_000)
        yield* observing(store, (observer) => {
          const run = observedRun(observer, "p")
          return run.give(sessionEvent(), { type: "tool_result", toolId: "1", output, isError: false }, text("a"))
        })
        const events = yield* transcriptOf(store)
        expect(events.map(({ event }) => event.type)).toEqual(["prompt", "session", "tool_result", "text"])
        expect(events[2]?.event).toEqual({ type: "tool_result", toolId: "1", output, isError: false })
      })
    )
  )

  it.effect("is kept of the sessions used last", () =>
    inMemory(
      (store) =>
        Effect.gen(function* () {
          for (const used of [1, 2, 3]) {
            yield* addSession(store, { key: `k${used}`, used })
            for (let position = 1; position <= 1_100; position++) yield* addRow(store, position, "{}", `k${used}`)
          }
          yield* addSession(store, { key: "k4", used: 4 })
          yield* runOf(store, "p", "a", "k4")
          const { sql, read } = store
          const stored = yield* Effect.repeat(
            read(sql<{ key: string; count: number }>`select session_key as key, count(*) as count from transcript
              group by session_key order by session_key`),
            { until: (rows) => rows.length === 2 }
          )
          expect(stored).toEqual([
            { key: "k3", count: 1_100 },
            { key: "k4", count: 3 }
          ])
        }),
      2
    )
  )

  it.effect("is kept of none, if so wished", () =>
    inMemory(
      (store) =>
        Effect.gen(function* () {
          yield* addSession(store)
          yield* addRow(store, 1, "{}")
          const { sql, read } = store
          yield* Effect.scoped(
            Effect.gen(function* () {
              expect(yield* makeTranscriptObserver(store)).toBeUndefined()
              yield* Effect.repeat(read(sql`select * from transcript`), { until: ({ length }) => length === 0 })
            })
          )
        }),
      0
    )
  )
})

describe("reading a transcript", () => {
  it.effect("begins behind a position", () =>
    inMemory((store) =>
      Effect.gen(function* () {
        yield* addSession(store)
        yield* runOf(store, "p", "a")
        expect(shortOf(yield* transcriptOf(store, "key-1", 2))).toEqual([[3, "a"]])
        expect(shortOf(yield* transcriptOf(store, "key-1", 3))).toEqual([])
      })
    )
  )

  it.effect.each([-1, 0.5, Number.NaN, "1"])("from %j is refused", (after) =>
    inMemory((store) =>
      Effect.gen(function* () {
        yield* addSession(store)
        expect(yield* codeOf(transcriptOf(store, "key-1", after as number))).toBe("InvalidParams")
      })
    )
  )

  it.effect("fails where none is kept", () =>
    inMemory((store) =>
      Effect.gen(function* () {
        yield* addSession(store)
        expect(yield* codeOf(transcriptOf(store, "key-1"))).toBe("NotKept")
        expect(yield* codeOf(transcriptOf(store, "other"))).toBe("NotKept")
      })
    )
  )

  it.effect("gives rows of another version, and damaged ones, as unknown events", () =>
    inMemory((store) =>
      Effect.gen(function* () {
        yield* addSession(store)
        const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`
        const rows = [
          '{"type":"text","text":"a"}',
          '{"type":"dance","steps":3}',
          '{"type":"text"}',
          "{half",
          "null",
          deep
        ]
        for (const [index, row] of rows.entries()) yield* addRow(store, index + 1, row)
        const events = (yield* transcriptOf(store)).map(({ event }) => event)
        expect(events.slice(0, 5)).toEqual([
          { type: "text", text: "a" },
          { type: "unknown", raw: { type: "dance", steps: 3 } },
          { type: "unknown", raw: { type: "text" } },
          { type: "unknown", raw: "{half" },
          { type: "unknown", raw: null }
        ])
        expect(events[5]?.type).toBe("unknown")
        expect(JSON.stringify(events[5]).length).toBeLessThan(10_000)
      })
    )
  )

  it.effect("goes on live: with events of this process at once, with those of others soon", () =>
    inMemory((store) =>
      Effect.gen(function* () {
        yield* addSession(store)
        const observer = yield* makeTranscriptObserver(store)
        const run = observedRun(observer, "p")
        yield* run.give(sessionEvent())
        const received = yield* Queue.unbounded<TranscriptEvent>()
        const following = transcriptEvents(store, "key-1").pipe(
          Stream.runForEach((event) => Queue.offer(received, event)),
          Effect.retry({ while: ({ reason }) => reason._tag === "NotKept" }),
          Effect.forkScoped
        )
        const reader = yield* following
        const next = (count: number) => Effect.map(Queue.takeN(received, count), shortOf)
        expect(yield* next(2)).toEqual([
          [1, "p"],
          [2, "session"]
        ])
        yield* run.give(text("a"))
        yield* run.end
        expect(yield* next(1)).toEqual([[3, "a"]])
        yield* addRow(store, 4, '{"type":"text","text":"b"}')
        yield* TestClock.adjust("1 second")
        expect(yield* next(1)).toEqual([[4, "b"]])
        yield* store.transact(store.sql`update sessions set state = 'archived'`)
        yield* TestClock.adjust("1 second")
        expect(Exit.isSuccess(yield* Fiber.await(reader))).toBe(true)
      })
    )
  )
})
