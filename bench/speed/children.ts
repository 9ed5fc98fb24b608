/**
 * The processes of the measurement. Each leads a group of its own, so that what it has started is gone with it however
 * the measurement ends; what Reins has started leaves with its host by itself.
 */
import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process"

const going = new Set<ChildProcess>()

const stop = ({ pid }: ChildProcess) => {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL")
  } catch {} // it has just left
}

export const stopAll = () => going.forEach(stop)

/** Longer than the slowest sample on a slow machine. */
const patienceMs = 300_000

export const startNode = (args: ReadonlyArray<string>, options: SpawnOptions) => {
  const child = spawn(process.execPath, args, { ...options, detached: true })
  going.add(child)
  const timer = setTimeout(() => stop(child), patienceMs)
  const left = new Promise<void>((resolve) => {
    child.once("close", () => {
      clearTimeout(timer)
      going.delete(child)
      resolve()
    })
  })
  return { child, left, stop: () => stop(child) }
}
