/**
 * Ends what a run has left behind: processes that carry the run's marker in their environment, in whatever session or
 * group. A tool's shell has a session of its own, so no signal to the CLI's group reaches it. Linux only.
 */
import { readdirSync, readFileSync } from "node:fs"
import { Effect } from "effect"
import { runMarker } from "../cli/Cli.ts"

const read = (pid: number, file: "environ" | "stat") => {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "latin1")
  } catch {
    return undefined // it has left, or belongs to another user
  }
}

/** Start time in clock ticks since boot: with the pid it names a process for good. */
const startTime = (pid: number) => {
  const stat = read(pid, "stat")
  return stat?.slice(stat.lastIndexOf(")") + 2).split(" ")[19]
}

/** Its run, and the runs around that one where a tool of an agent has agents of its own. */
const marksOf = (pid: number): ReadonlyArray<string> => {
  const variables = (read(pid, "environ") ?? "").split("\0")
  const mark = variables.find((variable) => variable.startsWith(`${runMarker}=`))
  return mark?.slice(runMarker.length + 1).split(" ") ?? []
}

const pids = (): ReadonlyArray<number> => {
  try {
    return readdirSync("/proc").map(Number).filter(Number.isInteger)
  } catch {
    return []
  }
}

/** Signals what carries the marker, each only while it is the process that was looked at; tells how many there were. */
const killMarked = (runId: string) => {
  const marked = pids().filter((pid) => {
    const started = startTime(pid)
    if (!marksOf(pid).includes(runId)) return false
    if (started === undefined || startTime(pid) !== started) return false
    try {
      process.kill(pid, "SIGKILL")
      return true
    } catch {
      return false
    }
  })
  return marked.length
}

/** A process that forks while it is looked for leaves a child; a killed one stays in the table until it is reaped. */
const mostRounds = 5

export const sweep = Effect.fnUntraced(function* (runId: string) {
  if (process.platform !== "linux") return
  for (let round = 0; round < mostRounds; round++) {
    if (killMarked(runId) === 0) return
    yield* Effect.sleep("10 millis")
  }
})
