/** An abort while the process starts, when it has told nothing of itself yet. Real processes. */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Stream } from "effect"
import type { AgentEvent } from "../../src/AgentEvent.ts"
import { AgentRuntime } from "../../src/AgentRuntime.ts"
import { layerOf, program } from "../kit/agent.ts"
import { abortedEnding, endingOf } from "../kit/events.ts"
import { assertAllDead, endAll, processesWith, until } from "../kit/processes.ts"
import { makeDirectory } from "../kit/temporary.ts"

/** A run of a process that is known by this path: it stands on its command line. */
const silent = (pidFile: string, abortSignal: AbortSignal) =>
  AgentRuntime.use((agent) => Stream.runCollect(agent.execute({ prompt: "hello", abortSignal }))).pipe(
    Effect.provide(layerOf(program("silent", `--pid-file=${pidFile}`)))
  )

const assertIsAborted = (events: ReadonlyArray<AgentEvent>, pidFile: string) => {
  assert.deepStrictEqual(endingOf(events), abortedEnding)
  const left = processesWith(pidFile)
  endAll(left)
  assert.deepStrictEqual(left, [], "alive after the end")
}

describe("an abort leaves one done and no process", () => {
  it.live("at any moment of the start", () =>
    Effect.gen(function* () {
      const directory = yield* makeDirectory
      const abortAfter = Effect.fnUntraced(function* (ms: number) {
        const pidFile = join(directory, `after-${ms}-ms`)
        assertIsAborted(yield* silent(pidFile, AbortSignal.timeout(ms)), pidFile)
      })
      yield* Effect.forEach([0, 1, 3, 8, 15, 25, 40, 60, 90, 130], abortAfter, { concurrency: 3 })
    })
  )

  it.live.each([
    ["as soon as there is a process", (pidFile: string) => processesWith(pidFile).length > 0],
    ["as soon as the process does something", existsSync]
  ] as const)("%s", ([_, isNow]) =>
    Effect.gen(function* () {
      const pidFile = join(yield* makeDirectory, "pid")
      const abort = new AbortController()
      const run = yield* Effect.forkChild(silent(pidFile, abort.signal))
      yield* until(() => isNow(pidFile))
      const started = processesWith(pidFile)
      abort.abort()
      assertIsAborted(yield* Fiber.join(run), pidFile)
      assertAllDead(started)
    })
  )
})
