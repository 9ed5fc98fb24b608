/** What a run has started is known by parentage, too: a process without the run's mark ends with it. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { AgentRuntime } from "../../src/AgentRuntime.ts"
import { trackDescendants } from "../../src/process/descendants.ts"
import { ensureReaper } from "../../src/process/reaper.ts"
import { layerOf, program } from "../kit/agent.ts"
import { pidsOf } from "../kit/events.ts"
import { assertAllDead, isAlive } from "../kit/processes.ts"

describe("descendants", () => {
  it.live("end with the run, although their environment was cleared and their parent has left", () =>
    Effect.gen(function* () {
      const agent = yield* AgentRuntime
      const events = yield* agent.execute({ prompt: "hello" }).pipe(
        Stream.takeUntil((event) => event.type === "session"),
        Stream.tap((event) => Effect.sync(() => assert.isTrue(pidsOf([event]).every(isAlive)))),
        Stream.runCollect
      )
      const pids = pidsOf(events)
      assert.lengthOf(pids, 3)
      assertAllDead(pids)
    }).pipe(Effect.provide(layerOf(program("cleared-environment"))))
  )

  it.effect("are those of a child of this process, not its own", () =>
    Effect.gen(function* () {
      ensureReaper()
      const { follow, look } = trackDescendants("run")
      yield* Effect.forkChild(follow(process.pid), { startImmediately: true })
      assert.isEmpty(look())
    })
  )
})
