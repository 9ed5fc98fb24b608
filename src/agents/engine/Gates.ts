/** The gates of an agent, and the layer with which an application adds its own. */
import { Context, Effect, Layer } from "effect"
import { hostWide } from "../../contract/acrossCopies.ts"
import type { Gate } from "./Gate.ts"
import { makeSessionGuard } from "./sessionGuard.ts"
import { type Active, makeStartQueue, newQueue } from "./startQueue.ts"

const running = (count: number, of: string) =>
  count === 1 ? `1 run${of} is running` : `${count} runs${of} are running`

/** Counts all runs and live sessions of this process; each waits for the `limits` of its own agent. */
const makeStartLimits = (availableMemory: () => number, queue = newQueue()): Gate =>
  makeStartQueue(queue, {
    name: "start limits",
    obstacleOf: ({ cli, total, perCli, staggerMs, freeMemoryBytes }, active, nowMs) => {
      const same = active.filter((other) => other.cli === cli)
      const isStarting = ({ opened, startedAtMs }: Active) => opened === undefined && nowMs - startedAtMs < staggerMs
      if (active.length >= total) return { limit: "total", problem: `${running(active.length, "")} (limits.total)` }
      if (same.length >= perCli) {
        return { limit: "perCli", problem: `${running(same.length, ` of ${cli}`)} (limits.perCli)` }
      }
      if (same.some(isStarting)) {
        return { limit: "stagger", problem: `another run of ${cli} is starting (limits.stagger)` }
      }
      if (freeMemoryBytes === 0) return undefined
      const freeBytes = availableMemory()
      if (freeBytes >= freeMemoryBytes) return undefined
      const problem = `${Math.floor(freeBytes / 2 ** 20)} MiB of memory are available (limits.freeMemoryBytes)`
      return { limit: "freeMemoryBytes", problem }
    }
  })

/**
 * The gates of an agent, in the order in which they are asked. Default, shared by the whole process: `session guard`, so
 * that no two runs of this user write to the same session, and `start limits` for the agent's `limits`.
 */
export const Gates = Context.Reference<ReadonlyArray<Gate>>("reins/Gates", {
  defaultValue: () => [
    makeSessionGuard(hostWide("session-order@1", newQueue)),
    makeStartLimits(() => process.availableMemory(), hostWide("start-limits@1", newQueue))
  ]
})

/** The default gates with their own memory reading, for tests. */
export const defaultGates = (availableMemory: () => number): ReadonlyArray<Gate> => [
  makeSessionGuard(),
  makeStartLimits(availableMemory)
]

/**
 * Adds gates after the present ones, or before the one named by `before` (`session guard`, `start limits`). Provide it to
 * the layer of an agent, or to a part of the program: `AgentRuntime.layer(cli).pipe(Layer.provide(gatesLayer([…])))`. To
 * remove the defaults, provide `Gates` itself.
 */
export const gatesLayer = (
  gates: ReadonlyArray<Gate>,
  { before }: { readonly before?: string } = {}
): Layer.Layer<never> =>
  Layer.effect(
    Gates,
    Effect.map(Gates, (present) => {
      const place = present.findIndex(({ name }) => name === before)
      return present.toSpliced(place === -1 ? present.length : place, 0, ...gates)
    })
  )
