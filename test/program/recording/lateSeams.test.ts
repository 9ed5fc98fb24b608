// A gate and an observer that come when the run has begun, or has ended already: they get everything, in order.
import { describe, expect, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Scope } from "effect"
import { TestClock } from "effect/testing"
import type { Permit } from "../../../src/agents/engine/Gate.ts"
import type { End, GateStart, RunStart } from "../../../src/contract/Start.ts"
import { lateSeams, type Seams } from "../../../src/program/recording/lateSeams.ts"

const run: RunStart = {
  type: "run",
  id: "r1",
  cli: "claude",
  workingDirectory: "/w",
  limits: {},
  params: { prompt: "hi" }
}
const start: GateStart = { ...run, queued: () => {}, notice: () => {}, waitedMs: () => 0 }

const end: End = {
  result: {
    outcome: "completed",
    reason: "completed",
    text: "",
    sessionId: "s1",
    durationMs: 1,
    usage: undefined,
    aborted: false
  },
  failure: undefined,
  hadOutput: true
}

const session = { type: "session", sessionId: "s1", model: "m", tools: [], mcpServers: [] } as const
const observed = { position: 0, atMs: 0, events: [session, { type: "text", text: "hello" }] } as const

/** Seams that note what they are told. */
const noting = () => {
  const notes: Array<string> = []
  const note = (text: string) =>
    Effect.sync(() => {
      notes.push(text)
    })
  const permit: Permit = {
    starting: note("starting"),
    opened: (id) => note(`opened ${id}`),
    onUsage: () => note("usage"),
    settle: () => note("settle")
  }
  const seams: Seams = {
    gate: {
      name: "inner",
      admit: () =>
        Effect.as(
          Effect.andThen(
            Effect.addFinalizer(() => note("released")),
            note("admit")
          ),
          permit
        )
    },
    observer: {
      name: "inner",
      begin: () => {
        notes.push("begin")
        return {
          events: ({ events }) => void notes.push(events.map(({ type }) => type).join()),
          end: () => void notes.push("end")
        }
      }
    }
  }
  return { notes, seams }
}

const usage = { type: "usage", usage: { inputTokens: 1 } } as const

describe("seams that come late", () => {
  it.effect("get the start, the session and the end when they are there", () =>
    Effect.gen(function* () {
      const { notes, seams } = noting()
      const opened = yield* Deferred.make<Seams>()
      const late = yield* lateSeams(Deferred.await(opened))
      const watching = late.observer.begin(run, (text) => text)
      const permit = yield* late.gate.admit(start)
      yield* permit.starting ?? Effect.void
      watching?.events?.(observed)
      yield* permit.opened?.("s1") ?? Effect.void
      yield* permit.onUsage?.(usage) ?? Effect.void
      expect(notes).toEqual([])
      const settling = yield* Effect.forkChild(permit.settle?.(end) ?? Effect.void)
      yield* Deferred.succeed(opened, seams)
      yield* late.written
      yield* Fiber.join(settling)
      expect(notes).toEqual(["begin", "session", "admit", "starting", "opened s1", "settle", "released"])
    }).pipe(Effect.scoped)
  )

  it.effect("that are there get the rest as it happens", () =>
    Effect.gen(function* () {
      const { notes, seams } = noting()
      const late = yield* lateSeams(Effect.succeed(seams))
      const watching = late.observer.begin(run, (text) => text)
      const permit = yield* late.gate.admit(start)
      yield* TestClock.adjust(1)
      yield* permit.starting ?? Effect.void
      watching?.events?.(observed)
      yield* permit.onUsage?.(usage) ?? Effect.void
      yield* permit.settle?.(end) ?? Effect.void
      expect(notes).toEqual(["begin", "admit", "starting", "session,text", "usage", "settle", "released"])
    }).pipe(Effect.scoped)
  )

  it.effect("of a start that a later gate refuses are released without an end", () =>
    Effect.gen(function* () {
      const { notes, seams } = noting()
      const late = yield* lateSeams(Effect.succeed(seams))
      late.observer.begin(run, (text) => text)
      const scope = yield* Scope.make()
      yield* Scope.provide(late.gate.admit(start), scope)
      yield* TestClock.adjust(1)
      yield* Scope.close(scope, Exit.void)
      expect(notes).toEqual(["begin", "admit", "released"])
    }).pipe(Effect.scoped)
  )

  it.effect("that never come hurt nothing", () =>
    Effect.gen(function* () {
      const late = yield* lateSeams(Effect.succeed(undefined))
      const watching = late.observer.begin(run, (text) => text)
      const permit = yield* late.gate.admit(start)
      yield* permit.starting ?? Effect.void
      watching?.events?.(observed)
      yield* permit.settle?.(end) ?? Effect.void
      yield* late.written
    }).pipe(Effect.scoped)
  )
})
