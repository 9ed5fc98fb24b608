/**
 * Ends the runs of a host that dies (SIGKILL, `process.exit`). A shell reads a pipe that only the host holds; at its
 * end it kills the processes with the host's mark, the named ones and their descendants, removes private directories,
 * and starts the named program. Plain functions: all copies of this package in the host share it.
 */
import { type ChildProcess, spawn } from "node:child_process"
import type { ProcessEntry } from "./processTable.ts"

/**
 * Follows the functions of a process table. `$1`: the host's mark, `$2`: prefix of its private directories, `$3`: Node.
 * A process can fork meanwhile: repeats until it finds nothing, for ten seconds at most.
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

find_all() {
  found=' '
  for pid in $(marked "$mark"); do
    look "$pid" && found="$found$pid:$start "
  done
  for one in $strays; do
    look "\${one%%:*}" && [ "$start" = "\${one#*:}" ] && found="$found$one "
  done
  [ "$found" != ' ' ] || return
  before=
  while [ "$before" != "$found" ]; do
    before=$found
    for entry in $(entries); do
      pid=\${entry%%:*}
      entry=\${entry#*:}
      case $found in *" $pid:\${entry#*:} "*) continue ;; *" \${entry%%:*}:"*) found="$found$pid:\${entry#*:} " ;; esac
    done
  done
}

mark=$1
round=0
while [ "$round" -lt 100 ]; do
  find_all
  [ "$found" != ' ' ] || break
  for one in $found; do
    look "\${one%%:*}" && [ "$start" = "\${one#*:}" ] && kill -9 "\${one%%:*}"
  done
  round=$((round + 1))
  sleep 0.1
done
rm -rf -- "$2"*
[ -z "$argument" ] || { cd / && "$3" "$program" "$argument"; }
`

/** To be run after this host's death: a program for Node, and its one argument. */
interface Aftermath {
  readonly program: string
  readonly argument: string
}

export interface Reaper {
  /** Starts it unless it is running. It does not keep the host alive. */
  readonly ensure: () => void
  /** All processes of a run that do not carry its mark; replaces the last list. */
  readonly setStrays: (runId: string, strays: ReadonlyArray<ProcessEntry>) => void
  /** Until it is called off by the function that is returned. Of several, the latest is run. */
  readonly afterDeath: (aftermath: Aftermath) => () => void
}

export interface ReaperOptions {
  /** Prefix of the marks of all runs of this host. */
  readonly mark: string
  /** Prefix of the paths of their private directories. */
  readonly privateFiles: () => string
  /** Functions of the process table; undefined: no reaper is started. */
  readonly shell: string | undefined
}

interface Running {
  readonly process: ChildProcess
  readonly startedAt: number
  /** The last line that was sent to it for each first word. */
  readonly lines: Map<string, string>
}

/** Elsewhere `process.execPath` is a program that may do anything with a script (Electron, Bun), or nothing (Deno). */
const isPlainNode = ["electron", "bun", "deno"].every((name) => process.versions[name] === undefined)

/** After several ends within a second each, it is replaced after a pause. */
const quickEndMs = 1_000
const mostQuickEnds = 3

export const makeReaper = ({ mark, privateFiles, shell }: ReaperOptions): Reaper => {
  let running: Running | undefined
  let quickEnds = 0
  const straysOf = new Map<string, ReadonlyArray<ProcessEntry>>()
  const aftermaths = new Set<Aftermath>()

  const send = (word: string, text: string) => {
    if (running === undefined || (running.lines.get(word) ?? "") === text) return
    running.lines.set(word, text)
    running.process.stdin?.write(`${word} ${text}\n`)
  }

  const sendAll = () => {
    const entries = [...straysOf.values()].flat()
    send("strays", entries.map(({ pid, start }) => `${pid}:${start}`).join(" "))
    const aftermath = [...aftermaths].at(-1)
    if (aftermath !== undefined) send("program", aftermath.program)
    send("argument", aftermath?.argument ?? "")
  }

  /** Node throws some errors and emits others. Undefined: the run's own spawn will fail with the same error. */
  const start = (functions: string) => {
    try {
      const args = ["-c", functions + script, "reins-reaper", mark, privateFiles(), process.execPath]
      return spawn("/bin/sh", args, {
        // In a session of its own: a signal to the host's group does not reach it. Without a mark: it does not end itself.
        detached: true,
        env: { PATH: "/usr/local/bin:/usr/bin:/bin" },
        stdio: ["pipe", "ignore", "ignore"]
      })
    } catch {
      return undefined
    }
  }

  const replace = (ended: Running) => {
    if (running !== ended) return
    running = undefined
    quickEnds = performance.now() - ended.startedAt < quickEndMs ? quickEnds + 1 : 0
    if (quickEnds <= mostQuickEnds) ensure()
    else setTimeout(ensure, quickEndMs).unref()
  }

  const ensure = () => {
    if (shell === undefined || running !== undefined) return
    const child = start(shell)
    if (child === undefined) return
    // Refused, for example when no more files may be open: then it has no pipe, and the next run tries again.
    child.once("error", () => {})
    if (child.pid === undefined) return
    const started: Running = { process: child, startedAt: performance.now(), lines: new Map() }
    child.once("exit", () => replace(started))
    child.stdin.on("error", () => replace(started))
    child.unref()
    running = started
    sendAll()
  }

  const canFollow = ({ program, argument }: Aftermath) => isPlainNode && !`${program}${argument}`.includes("\n")

  return {
    ensure,
    setStrays: (runId, strays) => {
      if (strays.length === 0) straysOf.delete(runId)
      else straysOf.set(runId, strays)
      sendAll()
    },
    afterDeath: (aftermath) => {
      if (!canFollow(aftermath)) return () => {}
      aftermaths.add(aftermath)
      ensure()
      sendAll()
      return () => {
        aftermaths.delete(aftermath)
        sendAll()
      }
    }
  }
}
