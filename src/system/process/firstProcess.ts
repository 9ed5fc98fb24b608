/**
 * Orphans become children of process 1, which has to reap them. Node as process 1 does not, and neither does a container
 * whose process 1 is `sleep infinity`: the entries of ended processes stay until the process table is full.
 */
import { Effect } from "effect"
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

/**
 * The process in the middle ends at once, so that its child is an orphan, which ends after it. An init may take a moment
 * to reap it: several look only once a second. Prints what is left of it after about 3 s, if anything.
 */
const lookAtOrphan = `
orphan=$(sleep 0.2 > /dev/null 2>&1 & echo $!)
looks=0
while [ -e "/proc/$orphan" ] && [ $looks -lt 30 ]; do sleep 0.1 || looks=$((looks + 10)); looks=$((looks + 1)); done
echo looked
[ ! -e "/proc/$orphan" ] || cat "/proc/$orphan/stat"`

/** Makes an orphan, and looks whether it is reaped. Returns undefined where that cannot be seen. */
export const areOrphansReaped = Effect.fn(...untraced("FirstProcess.areOrphansReaped"))(function* () {
  if (process.platform !== "linux") return undefined
  const answer = yield* ask({ path: "/bin/sh", args: ["-c", lookAtOrphan], timeout: "10 seconds" })
  const [looked, stat] = answer._tag === "Answered" ? answer.stdout.split("\n") : []
  if (looked !== "looked") return undefined
  if (stat === undefined || stat === "") return true
  return / Z /.test(stat.slice(stat.lastIndexOf(")"))) ? false : undefined
})
