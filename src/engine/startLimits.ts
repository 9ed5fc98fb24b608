/**
 * The gate for an agent's `limits`. It counts all runs and live sessions of this process; each waits for the limits of its
 * own agent.
 */
import { toMillis } from "../contract/input.ts"
import type { Gate } from "./Gate.ts"
import { type Active, makeStartQueue } from "./startQueue.ts"

const running = (count: number, of: string) =>
  count === 1 ? `1 run${of} is running` : `${count} runs${of} are running`

const none = Number.POSITIVE_INFINITY

export const makeStartLimits = (availableMemory: () => number): Gate =>
  makeStartQueue({
    name: "start limits",
    obstacleOf: ({ cli, limits }, active, nowMs) => {
      const { total = none, perCli = none, stagger = 0, freeMemoryBytes } = limits
      const same = active.filter(({ start }) => start.cli === cli)
      const isStarting = ({ opened, startedAtMs }: Active) =>
        opened === undefined && nowMs - startedAtMs < toMillis(stagger)
      if (active.length >= total) return { limit: "total", problem: `${running(active.length, "")} (limits.total)` }
      if (same.length >= perCli) {
        return { limit: "perCli", problem: `${running(same.length, ` of ${cli}`)} (limits.perCli)` }
      }
      if (same.some(isStarting)) {
        return { limit: "stagger", problem: `another run of ${cli} is starting (limits.stagger)` }
      }
      if (freeMemoryBytes === undefined) return undefined
      const freeBytes = availableMemory()
      if (freeBytes >= freeMemoryBytes) return undefined
      const problem = `${Math.floor(freeBytes / 2 ** 20)} MiB of memory are available (limits.freeMemoryBytes)`
      return { limit: "freeMemoryBytes", problem }
    }
  })
