/** Which processes live, from /proc. A zombie is dead: only its parent has not asked yet. */
import { readdirSync, readFileSync } from "node:fs"
import { Effect } from "effect"
import { assert } from "vitest"

export const isAlive = (pid: number): boolean => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
    // The name stands in parentheses and may hold any character; the state comes behind the last one.
    return !/^[ZX]/.test(stat.slice(stat.lastIndexOf(")") + 2))
  } catch {
    return false
  }
}

/** Ends those that a test had started and that still live. */
export const endAll = (pids: ReadonlyArray<number>) => {
  for (const pid of pids.filter(isAlive)) process.kill(pid, "SIGKILL")
}

/** Survivors fail the test, and are ended so that they do not outlive it. */
export const assertAllDead = (pids: ReadonlyArray<number>) => {
  assert.isNotEmpty(pids)
  const alive = pids.filter(isAlive)
  endAll(alive)
  assert.deepStrictEqual(alive, [], "alive after the end")
}

/** For a process in a session of its own, which no run reaches: the test that had it started ends it. */
export const endLater = (pid: number) => Effect.addFinalizer(() => Effect.sync(() => endAll([pid])))

/** Until `holds`; for what happens outside this process and can be asked but not awaited. Fails after `forMs`. */
export const until = (holds: () => boolean, forMs = 20_000) =>
  Effect.gen(function* () {
    const deadline = performance.now() + forMs
    while (!holds()) {
      assert.isBelow(performance.now(), deadline, "it never came true")
      yield* Effect.sleep(5)
    }
  })

const readProc = (pid: number, file: string) => {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8")
  } catch {
    return "" // it has just left
  }
}

/** Processes that carry this text in their environment or command line, this one excepted. */
export const processesWith = (text: string): ReadonlyArray<number> =>
  readdirSync("/proc")
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && pid > 0 && pid !== process.pid)
    .filter((pid) => ["environ", "cmdline"].some((file) => readProc(pid, file).includes(text)))
