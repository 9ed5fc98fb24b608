// Runs the real-CLI tests of one CLI in its namespace. A failure is tried once more alone: on a busy machine a test may
// run out of time, and that is no drift.
import { globSync, readFileSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { runInside } from "../real/rig/inside.ts"
import type { PinnedCli } from "../real/rig/install.ts"
import { exactly, type Selection, selectionsOf } from "./selection.ts"

export interface TestsOutcome {
  readonly passed: number
  readonly failed: ReadonlyArray<{ readonly file: string; readonly name: string; readonly why: string }>
  /** Passed when tried once more. */
  readonly flaky: ReadonlyArray<string>
}

interface VitestReport {
  readonly testResults: ReadonlyArray<{
    readonly name: string
    readonly message: string
    readonly status: string
    readonly assertionResults: ReadonlyArray<{
      readonly fullName: string
      readonly status: string
      readonly failureMessages: ReadonlyArray<string>
    }>
  }>
}

/** What a report of vitest says. A file that could not even be loaded is one failure. */
export const outcomeOf = ({ testResults }: VitestReport, root: string): TestsOutcome => {
  const failures = testResults.flatMap(({ name, message, status, assertionResults }) => {
    const file = name.replace(`${root}/`, "")
    const failed = assertionResults.filter((test) => test.status === "failed")
    if (failed.length === 0 && status === "failed") return [{ file, name: "", why: firstLine(message) }]
    return failed.map(({ fullName, failureMessages }) => ({
      file,
      name: fullName,
      why: firstLine(failureMessages[0] ?? "")
    }))
  })
  const passed = testResults.flatMap(({ assertionResults }) => assertionResults).filter(isPassed).length
  return { passed, failed: failures, flaky: [] }
}

const isPassed = ({ status }: { readonly status: string }) => status === "passed"
const firstLine = (text: string) => text.split("\n")[0]?.slice(0, 200) ?? ""

interface Place {
  readonly root: string
  readonly flags: ReadonlyArray<string>
  readonly log: (text: string) => void
}

const runSelection = async (cli: PinnedCli, { files, names }: Selection, { root, flags, log }: Place) => {
  const folder = await mkdtemp(join(tmpdir(), "reins-drift-"))
  const report = join(folder, "report.json")
  try {
    const filter = names === undefined ? [] : ["-t", names]
    const script = [join(root, "test/real/run.mjs"), "inside", report, ...files, ...filter]
    const { leftovers } = await runInside({ script, flags, clis: [cli], root, onOutput: log })
    for (const command of leftovers) log(`left behind, ended now: ${command}\n`)
    return outcomeOf(JSON.parse(readFileSync(report, "utf8")), root)
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

export const runRealTests = async (cli: PinnedCli, place: Place): Promise<TestsOutcome> => {
  const files = globSync("test/real/**/*.test.ts", { cwd: place.root }).sort()
  let passed = 0
  const failed: Array<TestsOutcome["failed"][number]> = []
  const flaky: Array<string> = []
  for (const selection of selectionsOf(cli.name, files)) {
    const first = await runSelection(cli, selection, place)
    passed += first.passed
    for (const failure of first.failed) {
      const names = failure.name === "" ? {} : { names: exactly(failure.name) }
      const again = await runSelection(cli, { files: [failure.file], ...names }, place)
      passed += again.passed
      failed.push(...again.failed)
      if (again.failed.length === 0) flaky.push(failure.name)
    }
  }
  return { passed, failed, flaky }
}
