/** An abort while the process starts, when it has told nothing of itself yet. Real processes. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import type { AgentEvent } from "../../../src/contract/AgentEvent.ts"
import { collect, running } from "../../kit/agent.ts"
import { abortedEnding, endingOf } from "../../kit/events.ts"
import { assertAllDead, endAll, processesWith, until } from "../../kit/processes.ts"

type Running = Effect.Success<typeof running>

const assertIsAborted = (events: ReadonlyArray<AgentEvent>, folder: string) => {
  assert.deepStrictEqual(endingOf(events), abortedEnding)
  const left = processesWith(folder)
  endAll(left)
  assert.deepStrictEqual(left, [], "alive after the end")
}

describe("an abort leaves one done and no process", () => {
  it.live("at any moment of the start", () =>
    Effect.gen(function* () {
      const abortAfter = Effect.fnUntraced(function* (ms: number) {
        const { options, folder } = yield* running
        assertIsAborted(yield* collect(options, { abortSignal: AbortSignal.timeout(ms) }), folder)
      })
      yield* Effect.forEach([0, 1, 3, 8, 15, 25, 40, 60, 90, 130], abortAfter, { concurrency: 3 })
    })
  )

  it.live.each([
    ["as soon as there is a process", ({ folder }: Running) => processesWith(folder).length > 0],
    ["as soon as the process does something", ({ hasStarted }: Running) => hasStarted()]
  ] as const)("%s", ([_, isNow]) =>
    Effect.gen(function* () {
      const silent = yield* running
      const abort = new AbortController()
      const run = yield* Effect.forkChild(collect(silent.options, { abortSignal: abort.signal }))
      yield* until(() => isNow(silent))
      const started = processesWith(silent.folder)
      abort.abort()
      assertIsAborted(yield* Fiber.join(run), silent.folder)
      assertAllDead(started)
    })
  )
})
