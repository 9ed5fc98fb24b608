/**
 * The process table of macOS, from `ps` and `sysctl`; everything but the realm is told in the same words by the `ps` of
 * Linux. Environments are not read: macOS hides those of its own programs, such as /bin/sh.
 */
import { execFile } from "node:child_process"
import { Effect } from "effect"
import { makeRecent, oncePerTurn, type ProcessEntry, type ProcessTable } from "./processTable.ts"

/** A date is printed in the words and the time zone of these. */
const env = { PATH: "/bin:/usr/bin:/usr/sbin:/sbin", LC_ALL: "C", TZ: "UTC0" }

/** What it prints; `ps` fails where there is no such process, and has printed the others. */
const printed = (command: string, args: ReadonlyArray<string>): Promise<string> =>
  new Promise((resolve) => {
    try {
      execFile(command, args, { env, maxBuffer: 2 ** 26, timeout: 5_000 }, (_, stdout) => resolve(stdout))
    } catch {
      resolve("") // the system starts no more processes
    }
  })

const columns = ["-o", "pid=", "-o", "ppid=", "-o", "state=", "-o", "lstart="]

const line = /^\s*(\d+)\s+(\d+)\s+(\S)\S*\s+(\S.*\S)\s*$/

/** Lines of `ps` with those columns; what is none is left out. */
export const parseProcesses = (text: string): ReadonlyArray<ProcessEntry> =>
  text.split("\n").flatMap((each) => {
    const [, pid, parent, state, start] = line.exec(each) ?? []
    if (start === undefined || state === "Z") return []
    return [{ pid: Number(pid), parent: Number(parent), start: start.replace(/\s+/g, "_") }]
  })

const list = async (...which: ReadonlyArray<string>) => parseProcesses(await printed("ps", [...which, ...columns]))

const shell = `
export PATH="$PATH:/usr/sbin:/sbin" LC_ALL=C TZ=UTC0
look() {
  set -- $(ps -p "$1" ${columns.join(" ")})
  case $3 in '' | Z*) return 1 ;; esac
  shift 3
  start=$(IFS=_; echo "$*")
}
entries() {
  ps -A ${columns.join(" ")} | while read -r pid parent state start; do
    set -- $start
    case $state in Z*) ;; *) echo "$pid:$parent:$(IFS=_; echo "$*")" ;; esac
  done
}
marked() { :; }
`

export const makePsProcesses = (): ProcessTable => {
  const recent = makeRecent<ReadonlyArray<ProcessEntry>>()
  const fresh = oncePerTurn(async () => recent.set(await list("-A")))
  return {
    find: (pids) => (pids.length === 0 ? Effect.succeed([]) : Effect.promise(() => list("-p", pids.join(",")))),
    list: (mustBeFresh) =>
      Effect.suspend(() => {
        const known = mustBeFresh ? undefined : recent.get()
        return known === undefined ? fresh : Effect.succeed(known)
      }),
    marks: undefined,
    shell,
    realm: Effect.promise(async () => (await printed("sysctl", ["-n", "kern.bootsessionuuid"])).trim() || undefined),
    notGuaranteed:
      "On this platform a tool that leaves its session, and whose parent leaves before it was ever looked at (every second), is not ended with its run"
  }
}
