/**
 * The tool that a run has open: a shell in a session of its own (as the real CLIs start theirs) with a child, and a
 * daemon that the shell has left behind: in another session, its parent gone.
 */
import { spawn } from "node:child_process"
import { pidsFile } from "./cell.mjs"

const script = `
echo "tool $$" >>"$1"
sleep 300 & echo "tool $!" >>"$1"
(setsid sh -c 'echo "daemon $$" >>"$1"; exec sleep 300' sh "$1" >/dev/null 2>&1 &)
until grep -q daemon "$1"; do sleep 0.02; done
echo "ready 0" >>"$1"
wait`

let shell

export const startTool = () => {
  shell = spawn("/bin/sh", ["-c", script, "sh", pidsFile], { detached: true, stdio: "ignore" })
}

const kill = (pid) => {
  try {
    process.kill(pid, "SIGKILL")
  } catch {
    // It is gone already.
  }
}

/** The shell and what runs under it. The daemon lives on. */
export const endTool = () => shell !== undefined && kill(-shell.pid)

/** The shell alone. Its child and the daemon live on. */
export const endShell = () => shell !== undefined && kill(shell.pid)
