// `npm run docs`, its second half: builds docs/ as a site with search in tools/site/dist, and checks it. The generator is installed
// on first use, in this folder, since nothing else needs it. `-- --show` serves the site on loopback until it is stopped.
import { spawnSync } from "node:child_process"
import { existsSync, rmSync, statSync } from "node:fs"
import { join } from "node:path"
import { problemsOfSite } from "./check.ts"
import { output, writePages } from "./pages.ts"

const here = import.meta.dirname

const run = (command: string, ...args: ReadonlyArray<string>): void => {
  const { status, error } = spawnSync(command, args, { cwd: here, stdio: ["ignore", "inherit", "inherit"] })
  if (status !== 0) throw new Error(`${command} ${args.join(" ")}: ${error?.message ?? `exit code ${status}`}`)
}

const installed = join(here, "node_modules/.package-lock.json")
const isCurrent = () =>
  existsSync(installed) && statSync(installed).mtimeMs >= statSync(join(here, "package-lock.json")).mtimeMs
if (!isCurrent()) {
  console.log("Installing the generator of the site, once…")
  run("npm", "ci", "--silent", "--ignore-scripts", "--no-audit", "--no-fund")
}

const vitepress = join(here, "node_modules/vitepress/bin/vitepress.js")
writePages()
rmSync(output, { recursive: true, force: true })
run(process.execPath, vitepress, "build", here)

const problems = await problemsOfSite()
for (const problem of problems) console.error(problem)
if (problems.length > 0) process.exitCode = 1
else if (process.argv.includes("--show"))
  run(process.execPath, vitepress, "preview", here, "--host", "127.0.0.1", "--port", "4173")
else console.log("tools/site/dist: built and checked. `npm run docs -- --show` serves it on this machine.")
