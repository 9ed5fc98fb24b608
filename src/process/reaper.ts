/**
 * Ends the runs of a host that dies without a chance to do it itself: SIGKILL, `process.exit`, an uncaught exception.
 * One small shell for the whole host waits on a pipe that only the host holds; at its end it kills what carries the
 * host's mark, what the host has named, and what those have started, removes the runs' private directories, and starts
 * the program that the host has named for then. A reaper that is killed is replaced at once.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { Effect, type Scope } from "effect"
import type { ProcessEntry } from "./processTable.ts"

/**
 * Behind the functions of a process table. `$1` is the host's mark, `$2` how the paths of its private directories begin,
 * `$3` Node. A process can fork while it is looked for, so it is looked for again until nothing is found; for ten seconds.
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

/** What is to be done after this host's death: a program for Node, and its one argument. */
export interface Aftermath {
  readonly program: string
  readonly argument: string
}

export interface Reaper {
  /** Starts it with the first run. Keeps no host alive. */
  readonly ensure: () => void
  /** What a run has started and does not carry its mark, each time anew. */
  readonly setStrays: (runId: string, strays: ReadonlyArray<ProcessEntry>) => void
  /** As long as the scope is open. The last one that was given is done. */
  readonly afterDeath: (aftermath: Aftermath) => Effect.Effect<void, never, Scope.Scope>
}

export interface ReaperOptions {
  /** With which the marks of all runs of this host begin. */
  readonly mark: string
  /** With which the paths of their private directories begin. */
  readonly privateFiles: () => string
  /** Of the process table; without it there is no reaper. */
  readonly shell: string | undefined
}

interface Running {
  readonly process: ChildProcess
  readonly startedAt: number
  /** The last lines that it was given, by their first words. */
  readonly lines: Map<string, string>
}

/** Only Node itself is started again: another program around it may do anything (Electron, Bun). */
const isPlainNode = process.versions["electron"] === undefined && process.versions["bun"] === undefined

/** One that ends again and again within a second is not started without a pause. */
const quickEndMs = 1_000
const mostQuickEnds = 3

export const makeReaper = ({ mark, privateFiles, shell }: ReaperOptions): Reaper => {
  let running: Running | undefined
  let quickEnds = 0
  const straysOf = new Map<string, ReadonlyArray<ProcessEntry>>()
  const aftermaths = new Set<Aftermath>()

  const tell = (word: string, text: string) => {
    if (running === undefined || (running.lines.get(word) ?? "") === text) return
    running.lines.set(word, text)
    running.process.stdin?.write(`${word} ${text}\n`)
  }

  const tellAll = () => {
    const entries = [...straysOf.values()].flat()
    tell("strays", entries.map(({ pid, start }) => `${pid}:${start}`).join(" "))
    const aftermath = [...aftermaths].at(-1)
    if (aftermath !== undefined) tell("program", aftermath.program)
    tell("argument", aftermath?.argument ?? "")
  }

  /** Node throws some refusals of the system and tells others by an event; what refuses this one refuses the run's, too. */
  const start = (functions: string) => {
    try {
      const args = ["-c", functions + script, "reins-reaper", mark, privateFiles(), process.execPath]
      return spawn("/bin/sh", args, {
        // A session of its own: what ends the host's group must not end the reaper. No mark: it would end itself.
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
    // Refused, as where no more files may be open: it has no pipe then, and the next run tries again.
    child.once("error", () => {})
    if (child.pid === undefined) return
    const started: Running = { process: child, startedAt: performance.now(), lines: new Map() }
    child.once("exit", () => replace(started))
    child.stdin.on("error", () => replace(started))
    child.unref()
    running = started
    tellAll()
  }

  const canFollow = ({ program, argument }: Aftermath) => isPlainNode && !`${program}${argument}`.includes("\n")

  return {
    ensure,
    setStrays: (runId, strays) => {
      if (strays.length === 0) straysOf.delete(runId)
      else straysOf.set(runId, strays)
      tellAll()
    },
    afterDeath: (aftermath) =>
      Effect.acquireRelease(
        Effect.sync(() => {
          if (!canFollow(aftermath)) return
          aftermaths.add(aftermath)
          ensure()
          tellAll()
        }),
        () =>
          Effect.sync(() => {
            aftermaths.delete(aftermath)
            tellAll()
          })
      )
  }
}
