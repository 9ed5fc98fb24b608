/** Observers of a run: they hear what its consumer hears, in batches, and have no say in it. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Layer, Scope, Stream } from "effect"
import { TestClock } from "effect/testing"
import { type Observed, Observer, Observers, observersLayer } from "../../../src/agents/engine/Observer.ts"
import type { Observation, ObservedEvents, ObservedLines } from "../../../src/contract/Observer.ts"
import type { Start } from "../../../src/contract/Start.ts"
import { completed, endingOf } from "../../kit/events.ts"
import { settled } from "../../kit/scripted.ts"
import { type Watched, watchedWithLog } from "../../kit/watched.ts"
import { init, result, text } from "../../kit/wire.ts"

const observed = <E>(
  observers: ReadonlyArray<Observer>,
  test: (run: Watched, log: ReadonlyArray<string>) => Effect.Effect<void, E>,
  params: Parameters<typeof watchedWithLog>[1] = {}
) => watchedWithLog(test, params).pipe(Effect.provideService(Observers, observers))

const goesOn = ({ script }: Watched) =>
  Effect.gen(function* () {
    yield* script.say(init(), text("one "), text("two"))
    yield* script.say(text(" three"), result("one two three"))
    yield* script.exit({ code: 0 })
  })

const makeWitness = (name = "witness") => {
  const starts: Array<Start> = []
  const batches: Array<ObservedEvents> = []
  const lines: Array<ObservedLines> = []
  const ends: Array<unknown> = []
  const observer: Observer = {
    name,
    begin: (start) => {
      starts.push(start)
      return {
        events: (batch) => void batches.push(batch),
        lines: (batch) => void lines.push(batch),
        end: ({ result }) => void ends.push([result.reason, batches.flatMap(({ events }) => events).length])
      }
    }
  }
  return { observer, starts, batches, lines, ends }
}

const mutable = <Data>(data: Data) => data as { -readonly [Name in keyof Data]: Data[Name] }

describe("an observer", () => {
  it.effect("gets the types that it wants, each at its place among all", () => {
    const { observer, batches } = makeWitness()
    const texts: Array<ObservedEvents> = []
    const picky: Observer = {
      name: "picky",
      begin: () => ({ types: ["text", "done"], events: (batch) => void texts.push(batch) })
    }
    const placesOf = (all: ReadonlyArray<ObservedEvents>) =>
      all.map(({ position, events }) => [position, ...events.map(({ type }) => type)])
    return Effect.gen(function* () {
      yield* observed([picky], goesOn)
      assert.deepStrictEqual(placesOf(texts), [
        [1, "text", "text"],
        [3, "text", "done"]
      ])
      texts.length = 0
      yield* observed([picky, observer], goesOn)
      assert.deepStrictEqual(placesOf(texts), [
        [1, "text", "text"],
        [3, "text", "done"]
      ])
      assert.deepStrictEqual(placesOf(batches)[0], [0, "session", "text", "text"])
    })
  })

  it.effect("changes nothing, neither for the consumer nor for the next observer", () => {
    const { observer, batches } = makeWitness()
    const vandal: Observer = {
      name: "vandal",
      begin: () => ({
        events: ({ events }) => {
          for (const event of events) if (event.type === "text") mutable(event).text = "changed"
          mutable(events).length = 0
        },
        end: ({ result }) => {
          mutable(result).text = "changed"
        }
      })
    }
    return observed([vandal, observer], (run) =>
      Effect.gen(function* () {
        yield* goesOn(run)
        yield* run.pass("1 second")
        assert.notInclude(JSON.stringify(run.events), "changed")
        assert.deepStrictEqual(
          batches.flatMap(({ events }) => events),
          run.events
        )
      })
    )
  })

  it.effect("hears the start, all events with their positions, one call a chunk, and the end last", () => {
    const { observer, starts, batches, ends } = makeWitness()
    return observed([observer], (run) =>
      Effect.gen(function* () {
        yield* TestClock.setTime(5_000)
        yield* goesOn(run)
        yield* run.pass("1 second")
        assert.deepStrictEqual(
          starts.map(({ type, cli }) => [type, cli]),
          [["run", "claude"]]
        )
        assert.deepStrictEqual(
          batches.flatMap(({ events }) => events),
          run.events
        )
        assert.deepStrictEqual(
          batches.map(({ position, events }) => [position, events.length]),
          [
            [0, 3],
            [3, 2]
          ]
        )
        assert.isTrue(batches.every(({ atMs }) => atMs >= 5_000))
        assert.deepStrictEqual(ends, [["completed", 5]])
      })
    )
  })

  it.effect("hears the lines as printed, without secrets, where it wants them", () => {
    const { observer, lines } = makeWitness()
    return observed(
      [observer],
      (run) =>
        Effect.gen(function* () {
          yield* run.script.say(init(), text("it is s3cret-value"))
          yield* goesOn(run)
          const all = lines.flatMap((batch) => batch.lines)
          assert.lengthOf(all, 7)
          assert.deepStrictEqual(JSON.parse(all[0] ?? ""), init())
          assert.notInclude(all.join(""), "s3cret-value")
          assert.deepStrictEqual(
            lines.map(({ position }) => position),
            [0, 2, 5]
          )
        }),
      { env: { TOKEN: "s3cret-value" } }
    )
  })

  it.effect("hears nothing of what was refused before it was accepted", () => {
    const { observer, starts } = makeWitness()
    return observed([observer], () => Effect.sync(() => assert.deepStrictEqual(starts, [])), { maxTurns: -1 })
  })

  const broken: Readonly<Record<string, Observer["begin"]>> = {
    begin: () => {
      throw new Error("broken")
    },
    events: () => ({
      events: () => {
        throw new Error("broken")
      }
    }),
    lines: () => ({
      lines: () => {
        throw new Error("broken")
      }
    }),
    end: () => ({
      end: () => {
        throw new Error("broken")
      }
    }),
    "events, as an async function": () => ({ events: (() => Promise.reject(new Error("broken"))) as () => void })
  }
  it.effect.each(Object.entries(broken))(
    "a failing observer is dropped with one warning and hurts nothing: %s",
    ([, begin]) => {
      const { observer, batches } = makeWitness()
      let calls = 0
      const counting: Observer = {
        name: "broken",
        begin: (start, redact) => {
          const observation: Observation = begin(start, redact) ?? {}
          const { events } = observation
          if (events === undefined) return observation
          const counted: Observation["events"] = (all) => {
            calls += 1
            return events(all)
          }
          return { ...observation, events: counted }
        }
      }
      return observed([counting, observer], (run, log) =>
        Effect.gen(function* () {
          yield* goesOn(run)
          yield* run.pass("1 second")
          assert.deepStrictEqual(endingOf(run.events), completed)
          assert.deepStrictEqual(
            batches.flatMap(({ events }) => events),
            run.events
          )
          assert.deepStrictEqual(log, ['the observer "broken" failed and is dropped for this run'])
          assert.isAtMost(calls, 1)
        })
      )
    }
  )
})

describe("Observer.queued", () => {
  const queued = (options: Partial<Parameters<typeof Observer.queued>[0]>) =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const received: Array<Observed> = []
      const observe = (_: Start, all: Stream.Stream<Observed>) =>
        Stream.runForEach(all, (one) => Effect.sync(() => received.push(one)))
      const observer = yield* Scope.provide(Observer.queued({ name: "queued", observe, ...options }), scope)
      return { observer, heard: received, close: Scope.close(scope, Exit.void) }
    })

  it.effect("takes its time; the run does not wait for it, and it hears all", () =>
    Effect.gen(function* () {
      const may = Deferred.makeUnsafe<void>()
      const received: Array<Observed> = []
      const { observer } = yield* queued({
        lines: true,
        observe: (_, all) =>
          Stream.runForEach(all, (one) =>
            Effect.andThen(
              Deferred.await(may),
              Effect.sync(() => received.push(one))
            )
          )
      })
      yield* observed([observer], (run) =>
        Effect.gen(function* () {
          yield* goesOn(run)
          yield* run.pass("1 second")
          assert.deepStrictEqual([received, run.isComplete()], [[], true])
          yield* Deferred.succeed(may, undefined)
          yield* settled
          const events = received.flatMap((one) => (one.type === "events" ? one.events : []))
          assert.deepStrictEqual(events, run.events)
          assert.lengthOf(
            received.flatMap((one) => (one.type === "lines" ? one.lines : [])),
            5
          )
          assert.deepInclude(received.at(-1), { type: "end", failure: undefined, hadOutput: true })
        })
      )
    })
  )

  it.effect("is let go when more waits than it may, or when it fails", () =>
    Effect.gen(function* () {
      const slow = yield* queued({ capacity: 1, observe: () => Effect.never })
      const failing = yield* queued({ observe: () => Effect.fail("broken") })
      yield* observed([slow.observer, { ...failing.observer, name: "failing" }], (run, log) =>
        Effect.gen(function* () {
          yield* goesOn(run)
          yield* run.pass("1 second")
          assert.deepStrictEqual(endingOf(run.events), completed)
          assert.deepStrictEqual(log, ['the observer "queued" failed and is dropped for this run'])
        })
      )
    })
  )

  it.effect("has 1 s to work off what waits when it is closed", () =>
    Effect.gen(function* () {
      const { observer, heard: received, close } = yield* queued({})
      const start = {
        type: "run",
        id: "1",
        cli: "claude",
        workingDirectory: "/",
        limits: {},
        params: { prompt: "" }
      } as const
      const observation = observer.begin(start, (text) => text)
      observation?.events?.({ position: 0, atMs: 0, events: [] })
      const closing = yield* Effect.forkChild(close, { startImmediately: true })
      yield* settled
      assert.lengthOf(received, 1)
      assert.isUndefined(closing.pollUnsafe())
      yield* TestClock.adjust("1 second")
      yield* settled
      assert.isDefined(closing.pollUnsafe())
    })
  )
})

describe("observersLayer", () => {
  it.effect("adds to those that are there, also ones that have to be made", () =>
    Effect.gen(function* () {
      const one = makeWitness("one").observer
      const two = Observer.queued({ name: "two", observe: () => Effect.void })
      const layer = observersLayer([two]).pipe(Layer.provide(observersLayer([one])))
      const names = Effect.map(Observers, (observers) => observers.map(({ name }) => name))
      assert.deepStrictEqual(yield* Effect.provide(names, layer), ["one", "two"])
    })
  )
})
