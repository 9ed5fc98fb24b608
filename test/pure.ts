/**
 * Before each file of the project `pure`: starting a process, a server or a connection, or making a directory for
 * temporary files, throws. Patched once a worker; a worker serves one project only.
 */
import { createRequire, syncBuiltinESMExports } from "node:module"

const load = createRequire(import.meta.url)

const forbidden: ReadonlyArray<readonly [holder: Record<string, unknown>, names: ReadonlyArray<string>]> = [
  [load("node:child_process"), ["spawn", "spawnSync", "exec", "execSync", "execFile", "execFileSync", "fork"]],
  [load("node:net").Server.prototype, ["listen"]],
  [load("node:net").Socket.prototype, ["connect"]],
  [load("node:fs"), ["mkdtemp", "mkdtempSync"]],
  [load("node:fs/promises"), ["mkdtemp"]]
]

for (const [holder, names] of forbidden) {
  for (const name of names) {
    holder[name] = () => {
      throw new Error(`${name}: not in a pure test; name its file *.process.test.ts`)
    }
  }
}
syncBuiltinESMExports()
