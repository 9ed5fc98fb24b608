/** The tools of a release, which are installed when they are first used: nothing else needs them. */
import { spawnSync } from "node:child_process"
import { statSync } from "node:fs"
import { join } from "node:path"

const here = import.meta.dirname

const timeOf = (path: string) => statSync(join(here, path), { throwIfNoEntry: false })?.mtimeMs ?? 0
const isCurrent = () => timeOf("node_modules/.package-lock.json") >= timeOf("package-lock.json")

/** A file below `node_modules`. */
export const tool = (path: string): string => {
  const file = join(here, "node_modules", path)
  if (isCurrent()) return file
  const args = ["ci", "--silent", "--ignore-scripts", "--no-audit", "--no-fund"]
  const { status } = spawnSync("npm", args, { cwd: here, stdio: ["ignore", "inherit", "inherit"] })
  if (status !== 0) throw new Error("the tools of a release could not be installed")
  return file
}

export const changesets = "@changesets/cli/bin.js"
