// Runs the real-CLI tests of one CLI in its namespace. A failure is retried once, without the rest of its file: on a
// busy machine a test may run out of time, and that does not count as drift.
import { existsSync, globSync, readFileSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { runInside } from "../../test/real/rig/inside.ts"
import type { PinnedCli } from "../../test/real/rig/install.ts"
import { afterRetry, outcomeOf, type TestsOutcome, together } from "./outcome.ts"
import { anyOf, type Selection, selectionsOf } from "./selection.ts"

export interface Place {
  readonly root: string
  /** Flags of `unshare`. */
  readonly flags: ReadonlyArray<string>
  readonly log: (text: string) => void
}

const runSelection = async (cli: PinnedCli, { files, names }: Selection, { root, flags, log }: Place) => {
  const folder = await mkdtemp(join(tmpdir(), "reins-drift-"))
  const report = join(folder, "report.json")
  try {
    const filter = names === undefined ? [] : ["-t", names]
    const script = [join(root, "test/real/run.mjs"), "inside", report, ...files, ...filter]
    const { code, leftovers } = await runInside({ script, flags, clis: [cli], root, onOutput: log })
    for (const command of leftovers) log(`left behind, ended now: ${command}\n`)
    if (!existsSync(report)) throw new Error(`the tests of ${cli.name} broke off with exit code ${code}`)
    return outcomeOf(JSON.parse(readFileSync(report, "utf8")), root)
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

export const runRealTests = async (cli: PinnedCli, place: Place): Promise<TestsOutcome> => {
  const files = globSync("test/real/**/*.test.ts", { cwd: place.root }).sort()
  const outcomes: Array<TestsOutcome> = []
  for (const selection of selectionsOf(cli.name, files)) {
    const { passed, failed } = await runSelection(cli, selection, place)
    outcomes.push({ passed: passed.length, failed: [], flaky: [] })
    for (const [file, failures] of Map.groupBy(failed, ({ file }) => file)) {
      const named = failures.filter(({ names }) => names.length > 0).map(({ names }) => names)
      const names = named.length === 0 ? {} : { names: anyOf(named) }
      outcomes.push(afterRetry(failures, await runSelection(cli, { files: [file], ...names }, place)))
    }
  }
  return together(outcomes)
}
