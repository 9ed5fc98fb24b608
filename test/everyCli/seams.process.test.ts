/** Gates and observers, for every CLI value: they work the same for runs, live sessions and turns. */
import { setImmediate } from "node:timers/promises"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Logger, Scope, Stream } from "effect"
import { AgentRuntime } from "../../src/agents/AgentRuntime.ts"
import { type CliId, clis } from "../../src/agents/Agents.ts"
import type { Gate } from "../../src/agents/engine/Gate.ts"
import { Gates } from "../../src/agents/engine/Gates.ts"
import { type Observer, Observers } from "../../src/agents/engine/Observer.ts"
import { Refused } from "../../src/contract/AgentError.ts"
import type { AgentEvent } from "../../src/contract/AgentEvent.ts"
import type { GateStart, Start } from "../../src/contract/Start.ts"
import { FakeCli, LiveStep, Step } from "../../src/testing.ts"
import { InstalledFake } from "../../src/testingEffect.ts"
import { killGrace } from "../kit/agent.ts"
import { completed, endingOf, kindsOf } from "../kit/events.ts"
import { makeLog, turnResult } from "../kit/live.ts"
import { assertAllDead } from "../kit/processes.ts"

const ids = Object.keys(clis) as ReadonlyArray<CliId>

/** An observer of everything: its calls of each start, by prompt or type. */
const makeWitness = () => {
  const observed = new Map<string, { events: Array<AgentEvent>; ended: string | undefined }>()
  const nameOf = (start: Start) => (start.type === "turn" ? `turn ${start.prompt}` : start.type)
  const observer: Observer = {
    name: "witness",
    begin: (start) => {
      const one = { events: [] as AgentEvent[], ended: undefined as string | undefined }
      observed.set(nameOf(start), one)
      return {
        events: ({ position, events }) => {
          assert.strictEqual(position, one.events.length)
          one.events.push(...events)
        },
        end: ({ result }) => {
          one.ended = result.reason
        }
      }
    }
  }
  return { observer, observed }
}

const broken: Observer = {
  name: "broken",
  begin: () => ({
    events: () => {
      throw new Error("broken")
    }
  })
}

/** A gate that holds each start until the test admits it; logs admissions and releases. */
const makeDoor = (concerns: Gate["concerns"]) => {
  const log: Array<string> = []
  const requests = makeLog()
  const doors: Array<Deferred.Deferred<void, Refused>> = []
  const gate: Gate = {
    name: "door",
    ...(concerns === undefined ? {} : { concerns }),
    admit: Effect.fnUntraced(function* (start: GateStart) {
      const name = start.type === "turn" ? start.prompt : start.type
      const door = Deferred.makeUnsafe<void, Refused>()
      doors.push(door)
      start.queued({ problem: "the door is shut" })
      yield* requests.push({ type: "text", text: name })
      yield* Effect.addFinalizer(() => Effect.sync(() => log.push(`out ${name}`)))
      yield* Deferred.await(door)
      log.push(`in ${name}`)
      return {
        starting: Effect.sync(() => void log.push(`starts ${name}`)),
        opened: (id: string) =>
          Effect.andThen(
            // Events that do not wait for it come first.
            Effect.promise(() => setImmediate()),
            Effect.sync(() => void log.push(`opened ${id}`))
          ),
        settle: ({ result }) => Effect.sync(() => void log.push(`settled ${result.reason}`))
      }
    })
  }
  const next = (count: number) => requests.until((events) => events.length >= count)
  return {
    gate,
    log,
    asked: next,
    open: (count: number) =>
      Effect.andThen(
        next(count),
        Effect.suspend(() => Deferred.succeed(doors[count - 1] as (typeof doors)[0], undefined))
      ),
    refuse: (count: number, reason: Refused) =>
      Effect.andThen(
        next(count),
        Effect.suspend(() => Deferred.fail(doors[count - 1] as (typeof doors)[0], reason))
      )
  }
}

const withSeams = <A, E>(
  fake: FakeCli,
  seams: { readonly gates: ReadonlyArray<Gate>; readonly observers: ReadonlyArray<Observer> },
  use: Effect.Effect<A, E, AgentRuntime | InstalledFake | Scope.Scope>
) =>
  Effect.scoped(
    Effect.gen(function* () {
      const { calls } = yield* InstalledFake
      yield* Effect.addFinalizer(() => Effect.sync(() => assertAllDead(calls().map(({ pid }) => pid))))
      return yield* Effect.scoped(use)
    })
  ).pipe(
    Effect.provide(InstalledFake.layer(fake, { killGrace })),
    Effect.provideService(Gates, seams.gates),
    Effect.provideService(Observers, seams.observers),
    Effect.provide(Logger.layer([]))
  )

describe.each(ids)("%s", (id) => {
  it.live("a run waits at its gate, and its observer gets the events of the consumer, beside a broken observer", () =>
    Effect.gen(function* () {
      const { observer, observed } = makeWitness()
      const door = makeDoor(["run"])
      yield* withSeams(
        FakeCli[id]([Step.text("hi")]),
        { gates: [door.gate], observers: [broken, observer] },
        Effect.gen(function* () {
          const { calls } = yield* InstalledFake
          const agent = yield* AgentRuntime
          const run = yield* Effect.forkChild(Stream.runCollect(agent.execute({ prompt: "hello" })))
          yield* door.asked(1)
          assert.deepStrictEqual(calls(), [])
          yield* door.open(1)
          const events = yield* Fiber.join(run)
          assert.deepStrictEqual(endingOf(events), completed)
          assert.strictEqual(kindsOf(events)[0], "queued")
          const witnessed = observed.get("run")
          assert.deepStrictEqual(witnessed?.events, events)
          assert.strictEqual(witnessed?.ended, "completed")
          const opened = events.flatMap((event) => (event.type === "session" ? [`opened ${event.sessionId}`] : []))[0]
          assert.deepStrictEqual(door.log, ["in run", "starts run", opened, "settled completed", "out run"])
        })
      )
    })
  )

  it.live("turns wait, are refused, left, or ended by close; observer and consumer get the same events", () =>
    Effect.gen(function* () {
      const { observer, observed } = makeWitness()
      const door = makeDoor(["turn"])
      const refusal = new Refused({ gate: "door", problem: "no", retryable: false })
      const all = yield* withSeams(
        FakeCli.live(id, [[LiveStep.text("one")], [LiveStep.text("two")]]),
        { gates: [door.gate], observers: [broken, observer] },
        Effect.gen(function* () {
          const agent = yield* AgentRuntime
          const scope = yield* Scope.make()
          const session = yield* Scope.provide(agent.open(), scope)
          const hearing = yield* Effect.forkChild(Stream.runCollect(session.events), { startImmediately: true })
          const ask = (prompt: string) => Effect.forkChild(Stream.runCollect(session.turn(prompt)))

          const first = yield* ask("1")
          yield* door.open(1)
          const events = yield* Fiber.join(first)
          assert.deepInclude(turnResult(events), { outcome: "completed" })
          assert.strictEqual(kindsOf(events)[0], "queued")
          yield* session.idle
          assert.deepStrictEqual(observed.get("turn 1"), { events: [...events], ended: "completed" })

          const refused = yield* ask("2")
          yield* door.refuse(2, refusal)
          const refusedEvents = yield* Fiber.join(refused)
          assert.strictEqual(turnResult(refusedEvents).reason, "refused")
          assert.deepStrictEqual(observed.get("turn 2"), { events: [...refusedEvents], ended: "refused" })

          const left = yield* ask("3")
          yield* door.asked(3)
          yield* Fiber.interrupt(left)

          const second = yield* ask("4")
          yield* door.open(4)
          assert.include(turnResult(yield* Fiber.join(second)).text, "two")

          const under = yield* ask("5")
          yield* door.asked(5)
          yield* Scope.close(scope, Exit.void)
          assert.strictEqual(turnResult(yield* Fiber.join(under)).reason, "aborted")
          return yield* Fiber.join(hearing)
        })
      )
      assert.deepStrictEqual(observed.get("session")?.events, [...all])
      assert.deepStrictEqual(
        ["1", "2", "3", "4", "5"].map((turn) => observed.get(`turn ${turn}`)?.ended),
        ["completed", "refused", "aborted", "completed", "aborted"]
      )
      const gone = (turn: string) => [`in ${turn}`, `starts ${turn}`, "settled completed", `out ${turn}`]
      assert.deepStrictEqual(door.log, [...gone("1"), "out 2", "out 3", ...gone("4"), "out 5"])
    })
  )
})
