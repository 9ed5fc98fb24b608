/**
 * Ends the runs of a host that dies without a chance to do it itself: SIGKILL, `process.exit`, an uncaught exception.
 * One small shell for the whole host waits on a pipe that only the host holds; at its end it kills what carries the
 * host's mark, what that has started, and what the host has named, removes the runs' private directories, and starts
 * the program that the host has named for then. A reaper that is killed is replaced at once. Linux only: /proc.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { tmpdir } from "node:os"
import { hostId, privatePath } from "./marker.ts"
import type { ProcessEntry } from "./processTable.ts"

/**
 * `$1` is the host's mark, `$2` how the paths of its private directories begin, `$3` Node. A process can fork while it
 * is looked for, so it is looked for again until nothing is found; for ten seconds. Only what is built into the shell
 * is used where a process is looked at: no other one can be put in its place in between.
 */
const script = `
trap '' HUP INT TERM
strays= program= argument=
while IFS= read -r line; do
  case $line in
    'strays '*) strays=\${line#strays } ;;
    'program '*) program=\${line#program } ;;
    'argument '*) argument=\${line#argument } ;;
  esac
done

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
  for one in $strays; do
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
[ -z "$argument" ] || { cd / && "$3" "$program" "$argument"; }
`

interface Reaper {
  readonly process: ChildProcess
  readonly startedAt: number
  /** The last lines that it was given, by their first words. */
  readonly lines: Map<string, string>
}

/** What is to be done after this host's death: a program for Node, and its one argument. */
export interface Aftermath {
  readonly program: string
  readonly argument: string
}

let reaper: Reaper | undefined
let aftermath: Aftermath | undefined
const strays = new Map<string, ReadonlyArray<ProcessEntry>>()

const tell = (word: string, text: string) => {
  if (reaper === undefined || (reaper.lines.get(word) ?? "") === text) return
  reaper.lines.set(word, text)
  reaper.process.stdin?.write(`${word} ${text}\n`)
}

const tellAll = () => {
  const entries = [...strays.values()].flat()
  tell("strays", entries.map(({ pid, start }) => `${pid}:${start}`).join(" "))
  if (aftermath !== undefined) tell("program", aftermath.program)
  tell("argument", aftermath?.argument ?? "")
}

/** What a run has started and does not carry its mark, each time anew. */
export const tellReaper = (runId: string, unmarked: ReadonlyArray<ProcessEntry>) => {
  if (unmarked.length === 0) strays.delete(runId)
  else strays.set(runId, unmarked)
  tellAll()
}

/** Only Node itself is started again: another program around it may do anything (Electron, Bun). */
const isPlainNode = process.versions["electron"] === undefined && process.versions["bun"] === undefined

/** Undefined where nothing is left to be done. It takes the place of what was to be done until now. */
export const setAftermath = (next: Aftermath | undefined) => {
  if (next !== undefined && (!isPlainNode || `${next.program}${next.argument}`.includes("\n"))) return
  aftermath = next
  if (next !== undefined) ensureReaper()
  tellAll()
}

/** Node throws some refusals of the system and tells others by an event; what refuses this one refuses the run's, too. */
const start = () => {
  const mark = `${hostId}.`
  try {
    return spawn("/bin/sh", ["-c", script, "reins-reaper", mark, privatePath(tmpdir(), mark), process.execPath], {
      // A session of its own: what ends the host's group must not end the reaper. No mark: it would end itself.
      detached: true,
      env: { PATH: "/usr/local/bin:/usr/bin:/bin" },
      stdio: ["pipe", "ignore", "ignore"]
    })
  } catch {
    return undefined
  }
}

/** One that ends again and again within a second is not started without a pause. */
const quickEndMs = 1_000
const mostQuickEnds = 3
let quickEnds = 0

const replace = (ended: Reaper) => {
  if (reaper !== ended) return
  reaper = undefined
  quickEnds = performance.now() - ended.startedAt < quickEndMs ? quickEnds + 1 : 0
  if (quickEnds <= mostQuickEnds) ensureReaper()
  else setTimeout(ensureReaper, quickEndMs).unref()
}

/** Starts the reaper with the first run. Keeps no host alive. */
export const ensureReaper = () => {
  if (process.platform !== "linux" || reaper !== undefined) return
  const child = start()
  if (child === undefined) return
  // Refused, as where no more files may be open: it has no pipe then, and the next run tries again.
  child.once("error", () => {})
  if (child.pid === undefined) return
  const started: Reaper = { process: child, startedAt: performance.now(), lines: new Map() }
  child.once("exit", () => replace(started))
  child.stdin.on("error", () => replace(started))
  child.unref()
  reaper = started
  tellAll()
}
