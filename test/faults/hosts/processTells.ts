/** A host that tells its reaper of the processes in its arguments, as `pid:start`, and waits to be killed. */
import { Effect } from "effect"
import { Host } from "../../../src/system/process/host.ts"

const { reaper } = Effect.runSync(Host)
reaper.ensure()
const entries = process.argv.slice(2).map((entry) => entry.split(":"))
reaper.setStrays(
  "run",
  entries.map(([pid, start]) => ({ pid: Number(pid), parent: 1, start: String(start) }))
)
process.stdin.resume()
process.stdout.write("told\n")
