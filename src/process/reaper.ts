/**
 * Ends the runs of a host that dies without a chance to do it itself: SIGKILL, `process.exit`, an uncaught exception.
 * One small shell for the whole host waits on a pipe that only the host holds; at its end it kills what carries the
 * host's mark. Linux only: it looks into /proc.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { hostId } from "./marker.ts"

/** A process can fork while it is looked for, so it is looked for again until nothing is found; for ten seconds. */
const script = `
trap '' HUP INT TERM
while read -r _; do :; done
round=0
while [ "$round" -lt 100 ]; do
  pids=$(grep -lF "$1" /proc/[0-9]*/environ 2>/dev/null | cut -d / -f 3)
  [ -n "$pids" ] || exit 0
  kill -9 $pids 2>/dev/null
  round=$((round + 1))
  sleep 0.1
done
`

let reaper: ChildProcess | undefined

/** Starts the reaper with the first run, and again if somebody has ended it. Keeps no host alive. */
export const ensureReaper = () => {
  if (process.platform !== "linux" || reaper !== undefined) return
  const started = spawn("/bin/sh", ["-c", script, "reins-reaper", `${hostId}.`], {
    // A session of its own: what ends the host's group must not end the reaper. No mark: it would end itself.
    detached: true,
    env: { PATH: "/usr/local/bin:/usr/bin:/bin" },
    stdio: ["pipe", "ignore", "ignore"]
  })
  const forget = () => {
    if (reaper === started) reaper = undefined
  }
  started.once("error", forget)
  started.once("exit", forget)
  started.stdin.on("error", forget)
  started.unref()
  reaper = started
}
