// Plays the scenarios of one CLI in its namespace, once or several times, and gives what was heard.
import { readFileSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { runInside } from "../../test/real/rig/inside.ts"
import type { PinnedCli } from "../../test/real/rig/install.ts"
import type { Place } from "./realTests.ts"
import type { HeardLine } from "./spy.ts"

export interface Recorded {
  readonly scenarios: Readonly<Record<string, ReadonlyArray<HeardLine>>>
  readonly commands: Readonly<Record<string, ReadonlyArray<string>>>
  /** Scenarios that did not come to their end, and why. */
  readonly problems: ReadonlyArray<string>
}

/** The lines themselves stay in the cache, for mending a decoder. */
export const recordOnce = async (cli: PinnedCli, { root, flags, log }: Place): Promise<Recorded> => {
  const folder = await mkdtemp(join(tmpdir(), "reins-drift-"))
  const file = join(folder, "recorded.json")
  const lines = join(root, ".cache/drift/lines", `${cli.name}-${cli.version}`)
  try {
    const script = [join(root, "tools/drift/record.ts"), cli.name, file, lines]
    const { code, leftovers } = await runInside({ script, flags, clis: [cli], root, onOutput: log })
    for (const command of leftovers) log(`left behind, ended now: ${command}\n`)
    if (code !== 0) throw new Error(`the scenarios of ${cli.name} ${cli.version} broke off with exit code ${code}`)
    return JSON.parse(readFileSync(file, "utf8"))
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}
