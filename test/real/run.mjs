// `npm run test:real`: installs the pinned CLIs, then runs the real-CLI tests in a loopback-only network namespace
// with an empty environment, or says loudly that and why it skipped them. Arguments are passed on to vitest.
// The script starts itself again inside the namespace: `probe` tries it, `inside` runs vitest.
import { existsSync, globSync, readFileSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { runCommand, runInside } from "./rig/inside.ts"
import { clisUnderTest, install } from "./rig/install.ts"
import { enterLoopback, findNamespace } from "./rig/namespace.ts"

const self = fileURLToPath(import.meta.url)
const root = fileURLToPath(new URL("../..", import.meta.url))
const vitest = join(root, "node_modules/vitest/vitest.mjs")

const countTests = () =>
  globSync("test/real/**/*.test.ts", { cwd: root })
    .map((file) => readFileSync(join(root, file), "utf8").match(/^\s*(it|test)(\.\w+)*[(<]/gm)?.length ?? 0)
    .reduce((sum, count) => sum + count, 0)

const skip = (reasons) => {
  const bar = "!".repeat(100)
  const lines = [
    bar,
    "!! The real-CLI tests were SKIPPED: nothing was run and nothing was proved.",
    "!! They need a network namespace with loopback only (Linux, as root or with user namespaces), which is missing:",
    ...reasons.map((reason) => `!!   ${reason.replaceAll("\n", "\n!!     ")}`),
    bar,
    `0 passed, 0 failed, ${countTests()} skipped`
  ]
  process.stdout.write(`${lines.join("\n")}\n`)
}

/** The counts of vitest's report; a run that broke off before its first test has none. */
const closingLine = (report) => {
  if (!existsSync(report)) return `0 passed, 0 failed, ${countTests()} skipped (the run broke off)\n`
  const { numPassedTests, numFailedTests, numPendingTests, numTodoTests } = JSON.parse(readFileSync(report, "utf8"))
  return `${numPassedTests} passed, ${numFailedTests} failed, ${numPendingTests + numTodoTests} skipped\n`
}

const outside = async (args) => {
  const namespace = findNamespace([process.execPath, self, "probe"])
  if (namespace.type === "impossible") return skip(namespace.reasons)
  for (const cli of clisUnderTest) {
    const command = await install(cli)
    process.stdout.write(`${cli.name} ${cli.version}: ${command}\n`)
  }
  const folder = await mkdtemp(join(tmpdir(), "reins-"))
  const report = join(folder, "report.json")
  try {
    const script = [self, "inside", report, ...args]
    const { code, leftovers } = await runInside({ script, flags: namespace.flags, clis: clisUnderTest, root })
    process.exitCode = code
    for (const command of leftovers) process.stdout.write(`left behind, ended now: ${command}\n`)
    process.stdout.write(closingLine(report))
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

const inside = async ([report, ...args]) => {
  await enterLoopback()
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`]
  const vitestArgs = ["run", "--config=test/real/vitest.config.ts", ...reporters, ...args]
  process.exitCode = await runCommand(process.execPath, [vitest, ...vitestArgs], { cwd: root, env: process.env })
}

const explain = (error) => {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`)
  process.exitCode = 1
}

const [stage, ...rest] = process.argv.slice(2)
const stages = { probe: enterLoopback, inside: () => inside(rest) }
await (stages[stage] ?? (() => outside(process.argv.slice(2))))().catch(explain)
