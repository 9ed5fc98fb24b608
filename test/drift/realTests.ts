// Runs the real-CLI tests of one CLI in its namespace. A failure is tried once more alone: on a busy machine a test may
// run out of time, and that is no drift.
import { existsSync, globSync, readFileSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { runInside } from "../real/rig/inside.ts"
import type { PinnedCli } from "../real/rig/install.ts"
import { afterRetry, outcomeOf, type TestsOutcome } from "./outcome.ts"
import { exactly, type Selection, selectionsOf } from "./selection.ts"

export interface Place {
  readonly root: string
  /** Of `unshare`. */
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
  let outcome: TestsOutcome = { passed: 0, failed: [], flaky: [] }
  for (const selection of selectionsOf(cli.name, files)) {
    const first = await runSelection(cli, selection, place)
    outcome = { ...outcome, passed: outcome.passed + first.passed }
    for (const failure of first.failed) {
      const names = failure.names.length === 0 ? {} : { names: exactly(failure.names) }
      outcome = afterRetry(outcome, failure, await runSelection(cli, { files: [failure.file], ...names }, place))
    }
  }
  return outcome
}
