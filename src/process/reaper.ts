/**
 * Ends the runs of a host that dies without a chance to do it itself: SIGKILL, `process.exit`, an uncaught exception.
 * One small shell for the whole host waits on a pipe that only the host holds; at its end it kills what carries the
 * host's mark, what that has started, and what the host has told of, and removes the runs' private directories.
 * Linux only: it looks into /proc.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { tmpdir } from "node:os"
import { hostId, privatePath } from "./marker.ts"
import type { ProcessEntry } from "./processTable.ts"

/**
 * `$1` is the host's mark, `$2` how the paths of its private directories begin. A process can fork while it is looked
 * for, so it is looked for again until nothing is found; for ten seconds. Only what is built into the shell is used
 * where a process is looked at: no other one can be put in its place in between.
 */
const script = `
trap '' HUP INT TERM
told=
while read -r line; do told=$line; done

look() {
  read -r stat < "/proc/$1/stat" || return 1
  set -- \${stat##*) }
  state=$1 parent=$2 start=\${20}
  [ "$state" != Z ] && [ "$state" != X ]
}

find_all() {
  found=
  for file in $(grep -lF "$mark" /proc/[0-9]*/environ); do
    pid=\${file#/proc/}
    look "\${pid%/environ}" && found="$found \${pid%/environ}:$start"
  done
  for one in $told; do
    look "\${one%:*}" && [ "$start" = "\${one#*:}" ] && found="$found $one"
  done
  [ -n "$found" ] || return
  before=
  while [ "$before" != "$found" ]; do
    before=$found
    for directory in /proc/[0-9]*; do
      pid=\${directory#/proc/}
      look "$pid" || continue
      case " $found" in *" $pid:$start"*) continue ;; *" $parent:"*) found="$found $pid:$start" ;; esac
    done
  done
}

mark=$1
round=0
while [ "$round" -lt 100 ]; do
  find_all
  [ -n "$found" ] || break
  for one in $found; do
    look "\${one%:*}" && [ "$start" = "\${one#*:}" ] && kill -9 "\${one%:*}"
  done
  round=$((round + 1))
  sleep 0.1
done
rm -rf -- "$2"*
`

interface Reaper {
  readonly process: ChildProcess
  /** The last line that it was told. */
  told: string
}

let reaper: Reaper | undefined
const strays = new Map<string, ReadonlyArray<ProcessEntry>>()

const tell = () => {
  const line = [...strays.values()]
    .flat()
    .map(({ pid, start }) => `${pid}:${start}`)
    .join(" ")
  if (reaper === undefined || reaper.told === line) return
  reaper.told = line
  reaper.process.stdin?.write(`${line}\n`)
}

/** What a run has started and does not carry its mark, each time anew. */
export const tellReaper = (runId: string, unmarked: ReadonlyArray<ProcessEntry>) => {
  if (unmarked.length === 0) strays.delete(runId)
  else strays.set(runId, unmarked)
  tell()
}

/** Node throws some refusals of the system and tells others by an event; what refuses this one refuses the run's, too. */
const start = () => {
  const mark = `${hostId}.`
  try {
    return spawn("/bin/sh", ["-c", script, "reins-reaper", mark, privatePath(tmpdir(), mark)], {
      // A session of its own: what ends the host's group must not end the reaper. No mark: it would end itself.
      detached: true,
      env: { PATH: "/usr/local/bin:/usr/bin:/bin" },
      stdio: ["pipe", "ignore", "ignore"]
    })
  } catch {
    return undefined
  }
}

/** Starts the reaper with the first run, and again if somebody has ended it. Keeps no host alive. */
export const ensureReaper = () => {
  if (process.platform !== "linux" || reaper !== undefined) return
  const child = start()
  if (child === undefined) return
  const started: Reaper = { process: child, told: "" }
  const forget = () => {
    if (reaper === started) reaper = undefined
  }
  child.once("error", forget)
  child.once("exit", forget)
  // Refused, as where no more files may be open: it has no pipe then, and the next run tries again.
  if (child.pid === undefined) return
  child.stdin.on("error", forget)
  child.unref()
  reaper = started
  tell()
}
