/**
 * Orphans become children of process 1, which has to reap them. Node as process 1 does not, and neither does a container
 * whose process 1 is `sleep infinity`: the entries of ended processes stay until the process table is full.
 */
import { readFileSync } from "node:fs"
import { Effect, Option } from "effect"
import { hostWide } from "../../contract/acrossCopies.ts"
import { untraced } from "../../contract/untraced.ts"
import { ask } from "./probe.ts"

/** Rest of a sentence about what to do. */
export const reapingCure =
  "give the container an init that reaps: `docker run --init`, `init: true` in a compose file, or `tini` as the entry point"

export const orphansStay =
  "Process 1 does not reap orphans: the processes that agents leave stay in the process table as <defunct> until it is full"

const warning =
  "this program is process 1, and Node.js does not reap orphans: the processes that agents leave stay in the process" +
  ` table as <defunct> until it is full. To prevent that, ${reapingCure}`

/** One warning for the process, when the first agent is started. */
export const warnFirstProcess: Effect.Effect<void> = Effect.suspend(() => {
  if (process.pid !== 1) return Effect.void
  const state = hostWide("first-process@1", () => ({ isTold: false }))
  if (state.isTold) return Effect.void
  state.isTold = true
  return Effect.logWarning(warning)
})

/** The middle process ends at once, so that its child is an orphan, which ends after it. */
const leaveOrphan = "(sleep 0.2 > /dev/null 2>&1 & echo $!)"

const stateOf = (pid: string): string | undefined => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1")
    return stat.slice(stat.lastIndexOf(")") + 2, stat.lastIndexOf(")") + 3)
  } catch {
    return undefined
  }
}

const pauseMs = 50
/** An init may take a moment: several look only once a second. */
const mostMs = 3_000

/** Makes an orphan, and looks whether it is reaped. Returns undefined where that cannot be seen. */
export const areOrphansReaped = Effect.fn(...untraced("FirstProcess.areOrphansReaped"))(function* () {
  if (process.platform !== "linux") return undefined
  const answer = yield* ask({ path: "/bin/sh", args: ["-c", leaveOrphan], timeout: "5 seconds" })
  const pid = answer._tag === "Answered" ? answer.stdout.trim() : ""
  if (!/^\d+$/.test(pid)) return undefined
  const gone = Effect.gen(function* () {
    while (stateOf(pid) !== undefined) yield* Effect.sleep(pauseMs)
  })
  if (Option.isSome(yield* Effect.timeoutOption(gone, mostMs))) return true
  return stateOf(pid) === "Z" ? false : undefined
})
