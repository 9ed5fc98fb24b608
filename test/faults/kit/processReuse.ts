/** A process that gets the pid of one that has died, where the kernel lets this user choose pids. */
import { execFileSync } from "node:child_process"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { assert } from "vitest"
import { endAll } from "../../kit/processes.ts"

const lastPid = "/proc/sys/kernel/ns_last_pid"

export const canChoosePids = (() => {
  try {
    writeFileSync(lastPid, readFileSync(lastPid))
    return true
  } catch {
    return false
  }
})()

const attempts = 500

const pause = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)

/**
 * Kills the process and starts another one under its pid, in a session of its own and without environment. All at once:
 * nothing in this process can see that the pid was free.
 */
export const reuse = (pid: number) => {
  process.kill(pid, "SIGKILL")
  const script = `echo ${pid - 1} > ${lastPid} && { setsid sleep 120 >/dev/null 2>&1 & echo $!; }`
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    if (!existsSync(`/proc/${pid}`)) {
      const started = Number(execFileSync("/bin/sh", ["-c", script], { env: {} }))
      if (started === pid) return
      endAll([started])
    }
    pause(20)
  }
  assert.fail(`others were always faster than pid ${pid}`)
}
