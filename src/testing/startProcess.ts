/**
 * A process such as tools leave behind, started by the player. It inherits the environment, as those of real CLIs do.
 * Node's own `spawn`: this runs in the fake CLI, where nothing of the library is, and nobody is to end what it starts.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import type { Readable } from "node:stream"
import { buffer } from "node:stream/consumers"
import type { StartProcess } from "./instructions.ts"

/** Nobody may be there to end it. */
const livesSeconds = 600

/** Its pid, once it runs and is deaf if it is to be: then it closes descriptor 3. */
export const startProcess = async ({ ownSession, holdsStdout, deaf }: StartProcess): Promise<number> => {
  const script = `${deaf ? "trap '' TERM INT HUP; " : ""}exec 3>&-; exec sleep ${livesSeconds}`
  const stdio = ["ignore", holdsStdout ? "inherit" : "ignore", "ignore", "pipe"] as const
  const child = spawn("/bin/sh", ["-c", script], { detached: ownSession, stdio: [...stdio] })
  await once(child, "spawn")
  await buffer(child.stdio[3] as Readable) // a pipe, as asked for
  child.unref()
  return child.pid ?? 0
}
