/**
 * The gate for an agent's `limits`. It counts the runs and live sessions of this process, whoever started them; each
 * waits for the limits of its own agent.
 */
import { Duration } from "effect"
import type { Gate } from "./Gate.ts"
import { type Going, makeWaitingLine } from "./waitingLine.ts"

const goOn = (count: number, what: string) => (count === 1 ? `1 run${what} goes on` : `${count} runs${what} go on`)

const none = Number.POSITIVE_INFINITY

export const makeStartLimits = (availableMemory: () => number): Gate =>
  makeWaitingLine({
    name: "start limits",
    obstacleOf: ({ cli, limits }, going, nowMs) => {
      const { total = none, perCli = none, stagger = 0, freeMemoryBytes } = limits
      const same = going.filter(({ start }) => start.cli === cli)
      const isStarting = ({ opened, startedAtMs }: Going) =>
        opened === undefined && nowMs - startedAtMs < Duration.toMillis(stagger)
      if (going.length >= total) return { limit: "total", problem: `${goOn(going.length, "")} (limits.total)` }
      if (same.length >= perCli) {
        return { limit: "perCli", problem: `${goOn(same.length, ` of ${cli}`)} (limits.perCli)` }
      }
      if (same.some(isStarting)) {
        return { limit: "stagger", problem: `another run of ${cli} starts (limits.stagger)` }
      }
      if (freeMemoryBytes === undefined) return undefined
      const freeBytes = availableMemory()
      if (freeBytes >= freeMemoryBytes) return undefined
      const problem = `${Math.floor(freeBytes / 2 ** 20)} MiB of memory are available (limits.freeMemoryBytes)`
      return { limit: "freeMemoryBytes", problem }
    }
  })
