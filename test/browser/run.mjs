// `npm run test:browser`: finds or installs Chromium, then runs the tests of the page in it, or says loudly that and why it
// skipped them. Arguments are passed on to vitest. Nothing but loopback is reached.
import { spawnSync } from "node:child_process"
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { findChromium } from "../../tools/browser/chromium.ts"

const root = join(import.meta.dirname, "../..")

const countTests = () =>
  globSync("test/browser/**/*.test.ts", { cwd: root })
    .map((file) => readFileSync(join(root, file), "utf8").match(/^\s*(it|test)(\.\w+)*[(<]/gm)?.length ?? 0)
    .reduce((sum, count) => sum + count, 0)

const skip = (reasons) => {
  const bar = "!".repeat(100)
  const lines = [
    bar,
    "!! The tests of the web page were SKIPPED: nothing was run and nothing was proved.",
    "!! They need Chromium (Debian and Ubuntu: apt-get install chromium), which is missing:",
    ...reasons.map((reason) => `!!   ${reason}`),
    bar,
    `0 passed, 0 failed, ${countTests()} skipped`
  ]
  process.stdout.write(`${lines.join("\n")}\n`)
}

const run = (command) => {
  const folder = mkdtempSync(join(tmpdir(), "reins-browser-"))
  const report = join(folder, "report.json")
  const vitest = join(root, "node_modules/vitest/vitest.mjs")
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`]
  const args = [vitest, "run", "--config=test/browser/vitest.config.ts", ...reporters, ...process.argv.slice(2)]
  try {
    const env = { ...process.env, REINS_CHROMIUM: command }
    process.exitCode = spawnSync(process.execPath, args, { cwd: root, env, stdio: "inherit" }).status ?? 1
    if (!existsSync(report)) return `0 passed, 0 failed, ${countTests()} skipped (the run broke off)\n`
    const { numPassedTests, numFailedTests, numPendingTests, numTodoTests } = JSON.parse(readFileSync(report, "utf8"))
    return `${numPassedTests} passed, ${numFailedTests} failed, ${numPendingTests + numTodoTests} skipped\n`
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

const found = findChromium()
if ("reasons" in found) skip(found.reasons)
else process.stdout.write(run(found.command))
