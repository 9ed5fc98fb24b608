// `npm run change`: asks what a change means for users, and writes it as a note for the next release into `.changeset`.
import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { changesets, tool } from "./tool.ts"

const root = join(import.meta.dirname, "../..")
const { status } = spawnSync(process.execPath, [tool(changesets), "add", ...process.argv.slice(2)], {
  cwd: root,
  stdio: "inherit"
})
process.exitCode = status ?? 1
