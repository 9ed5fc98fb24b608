/**
 * The process table of macOS, from `ps` and `sysctl`; tested with the `ps` of Linux. Lines are parsed here and, for the
 * reaper, in `shell`: change both. macOS hides the environments of its own programs, such as /bin/sh.
 */
import { execFile } from "node:child_process"
import { Effect } from "effect"
import { makeRecent, oncePerTurn, type ProcessEntry, type ProcessTable } from "./processTable.ts"

/** `ps` prints dates in this locale and time zone. */
const env = { PATH: "/bin:/usr/bin:/usr/sbin:/sbin", LC_ALL: "C", TZ: "UTC0" }

/** Its stdout, also when it fails: `ps` does if one of the pids does not exist, and prints the others. */
const printed = (command: string, args: ReadonlyArray<string>): Promise<string> =>
  new Promise((resolve) => {
    try {
      execFile(command, args, { env, maxBuffer: 2 ** 26, timeout: 5_000 }, (_, stdout) => resolve(stdout))
    } catch {
      resolve("") // no more processes can be started
    }
  })

const columns = ["-o", "pid=", "-o", "ppid=", "-o", "state=", "-o", "lstart="]
const line = /^\s*(\d+)\s+(\d+)\s+(\S)\S*\s+(\S.*\S)\s*$/

/** Output of `ps` with those columns. Zombies and other lines are left out. */
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
      "On this platform a tool that leaves its session is not ended with its run if its parent exits before the tool was seen: processes are listed every second"
  }
}
