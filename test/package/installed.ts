/** Programs that tests run the package with, and on which it does not depend: each in a folder of its own, once. */
import { spawnSync } from "node:child_process"
import { chmodSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const folder = fileURLToPath(new URL("../../.cache/runtimes", import.meta.url))
export const versions = { bun: "1.4.5", deno: "2.9.6", node: "20.19.6", esbuild: "0.28.2" }

/** The folder comes to its place when it is complete: another test may look at the same time. */
const install = (name: keyof typeof versions, place: string) => {
  mkdirSync(folder, { recursive: true })
  const making = mkdtempSync(join(folder, `${name}-`))
  chmodSync(making, 0o755) // other users run it, too
  writeFileSync(join(making, "package.json"), JSON.stringify({ private: true, allowScripts: { [name]: true } }))
  const args = ["install", "--silent", "--no-audit", "--no-fund", `${name}@${versions[name]}`]
  spawnSync("npm", args, { cwd: making })
  try {
    renameSync(making, place)
  } catch {
    rmSync(making, { recursive: true, force: true }) // the other test was faster
  }
}

/** Its path. Undefined where it cannot be installed, which is said. */
export const installed = (name: keyof typeof versions): string | undefined => {
  const place = join(folder, `${name}-${versions[name]}`)
  const file = join(place, "node_modules/.bin", name)
  if (!existsSync(file)) install(name, place)
  if (spawnSync(file, ["--version"], { encoding: "utf8" }).stdout?.includes(versions[name]) === true) return file
  console.error(`SKIPPED: ${name} ${versions[name]} could not be installed: what it does was not tried`)
  return undefined
}
