/** The directory of a cell: the stub under the name of its CLI, the fault it is to play, and a home of its own. */
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { Peer } from "./peers.ts"

export const pathOf = (name: string) => fileURLToPath(new URL(name, import.meta.url))

/** The versions that the stubs report: those that they are modelled on. */
const versions = { claude: "2.1.328 (Claude Code)", codex: "codex-cli 0.169.0", opencode: "1.18.33" }

export const lay = (peer: Peer, fault: string) => {
  const directory = mkdtempSync(join(tmpdir(), "reins-peers-"))
  for (const name of ["bin", "home", "tmp", "work"]) mkdirSync(join(directory, name))
  const command = join(directory, "bin", peer.command)
  const stub = pathOf(`stub/${peer.command}.mjs`)
  writeFileSync(join(directory, "plan.json"), JSON.stringify({ fault, version: versions[peer.command] }))
  // The shell becomes the stub, so that the pid that the package knows is the stub's.
  writeFileSync(command, `#!/bin/sh\nexec '${process.execPath}' '${stub}' '${directory}' "$@"\n`, { mode: 0o755 })
  return { directory, command }
}
