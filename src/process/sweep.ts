/**
 * Ends what a run has left behind: processes that carry the run's mark in their environment, in whatever session or
 * group, and those that the run was seen to start. A tool's shell has a session of its own, so no signal to the CLI's
 * group reaches it. Linux only.
 */
import { Effect } from "effect"
import { isSame, listMarked, type ProcessEntry } from "./processTable.ts"

/** Signals each only while it is the process that was looked at. */
const kill = (entry: ProcessEntry) => {
  if (!isSame(entry)) return false
  try {
    return process.kill(entry.pid, "SIGKILL")
  } catch {
    return false
  }
}

/** A process that forks while it is looked for leaves a child; a killed one stays in the table for a moment. */
const mostRounds = 5

/** `started` looks for what the run has started. */
export const sweep = Effect.fnUntraced(function* (runId: string, started: () => ReadonlyArray<ProcessEntry>) {
  for (let round = 0; round < mostRounds; round++) {
    const marked = yield* Effect.promise(listMarked)
    const killed = [...started(), ...marked.filter(({ marks }) => marks.includes(runId))].filter(kill)
    if (killed.length === 0) return
    yield* Effect.sleep("10 millis")
  }
})
