/** Descendants of a run are also known by parentage: a process without the run's mark ends with it. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Stream } from "effect"
import { AgentRuntime } from "../../../src/agents/AgentRuntime.ts"
import { trackDescendants } from "../../../src/system/process/descendants.ts"
import { Host, makeHost } from "../../../src/system/process/host.ts"
import { makePsProcesses } from "../../../src/system/process/macProcesses.ts"
import { noProcessTable } from "../../../src/system/process/processTable.ts"
import { layerOf, program } from "../../kit/agent.ts"
import { pidsOf } from "../../kit/events.ts"
import { assertAllDead, isAlive } from "../../kit/processes.ts"

const onMac = Layer.succeed(Host)(makeHost(process.platform, makePsProcesses()))

const hosts = [
  ["Linux", layerOf(program("cleared-environment"))],
  ["macOS", Layer.provide(layerOf(program("cleared-environment")), onMac)]
] as const

describe("descendants", () => {
  it.live.each(hosts)(
    "end with the run although their environment is empty and their parent has exited: %s",
    ([_, layer]) =>
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
      }).pipe(Effect.provide(layer))
  )

  it.live("in the run's process group end with it where processes cannot be listed", () =>
    Effect.gen(function* () {
      const agent = yield* AgentRuntime
      const events = yield* agent.execute({ prompt: "hello" }).pipe(
        Stream.takeUntil((event) => event.type === "session"),
        Stream.runCollect
      )
      assertAllDead(pidsOf(events))
    }).pipe(
      Effect.provide(
        Layer.provide(
          layerOf(program("parallel-grandchildren")),
          Layer.succeed(Host)(makeHost(process.platform, noProcessTable))
        )
      )
    )
  )

  it.effect("of this process itself are not tracked", () =>
    Effect.gen(function* () {
      const { reaper } = yield* Host
      reaper.ensure()
      const { follow, look } = yield* trackDescendants("run")
      yield* Effect.forkChild(
        follow(process.pid, () => false),
        { startImmediately: true }
      )
      assert.isEmpty(yield* look)
    })
  )
})
