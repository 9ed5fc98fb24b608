/**
 * The gate for an agent's `limits`. It counts all runs and live sessions of this process; each waits for the limits of its
 * own agent.
 */
import type { Gate } from "./Gate.ts"
import { type Active, makeStartQueue, newQueue } from "./startQueue.ts"

const running = (count: number, of: string) =>
  count === 1 ? `1 run${of} is running` : `${count} runs${of} are running`

export const makeStartLimits = (availableMemory: () => number, queue = newQueue()): Gate =>
  makeStartQueue(
    {
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
    },
    queue
  )
