/** A host that tells its reaper of the processes in its arguments, as `pid:start`, and waits to be killed. */
import { ensureReaper, tellReaper } from "../../../src/process/reaper.ts"

ensureReaper()
const entries = process.argv.slice(2).map((entry) => entry.split(":"))
tellReaper(
  "run",
  entries.map(([pid, start]) => ({ pid: Number(pid), parent: 1, start: String(start) }))
)
process.stdin.resume()
process.stdout.write("told\n")
