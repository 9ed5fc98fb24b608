/** Size and duration of `npm install` in an empty folder. */
import { execFile } from "node:child_process"
import { globSync, lstatSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { claudeSdk, codexSdk, pinned, root } from "../package.ts"
import { raceOf } from "../race.ts"
import { inRounds } from "../rounds.ts"
import type { Bench, Row } from "../row.ts"
import type { Sample } from "../sample.ts"
import { verdict } from "../table.ts"

const names = {
  reins: "`reins`",
  reinsEffect: "`reins` with `effect` and `@effect/platform-node`",
  claudeSdk: `\`${claudeSdk}\``,
  codexSdk: `\`${codexSdk}\``
}
type Name = keyof typeof names

interface Installed extends Pick<Sample, "wallMs"> {
  readonly packages: number
  readonly mib: number
}

const npm = (folder: string, ...args: ReadonlyArray<string>) =>
  promisify(execFile)("npm", args, { cwd: folder, maxBuffer: 2 ** 26 })

/** As `du` counts: blocks, folders among them. */
const mibOf = (folder: string) =>
  globSync("**", { cwd: folder }).reduce((sum, path) => sum + lstatSync(join(folder, path)).blocks * 512, 0) / 2 ** 20

const take = async ({ workspace }: Bench, what: ReadonlyArray<string>): Promise<Installed> => {
  const folder = workspace.emptyFolder()
  writeFileSync(join(folder, "package.json"), '{ "private": true }')
  const from = performance.now()
  await npm(folder, "install", "--prefix", folder, "--prefer-offline", "--no-audit", "--no-fund", ...what)
  const wallMs = performance.now() - from
  const packages = join(folder, "node_modules")
  const lock = JSON.parse(readFileSync(join(packages, ".package-lock.json"), "utf8"))
  const installed = { wallMs, packages: Object.keys(lock.packages).length, mib: mibOf(packages) }
  rmSync(folder, { recursive: true })
  return installed
}

export const install: Row = {
  names: ["install"],
  measure: async (bench) => {
    const folder = bench.workspace.emptyFolder()
    // The package as it was built last.
    const { stdout } = await npm(root, "pack", "--ignore-scripts", "--json", "--pack-destination", folder)
    const tarball = join(folder, JSON.parse(stdout)[0].filename)
    const contestants: Record<Name, ReadonlyArray<string>> = {
      reins: [tarball],
      reinsEffect: [tarball, pinned("effect"), pinned("@effect/platform-node")],
      claudeSdk: [pinned(claudeSdk)],
      codexSdk: [pinned(codexSdk)]
    }
    const hosts = Object.keys(names) as ReadonlyArray<Name> // its own keys
    const taken = await inRounds(hosts, Math.min(bench.samples, 3), (name) => take(bench, contestants[name]))
    const race = raceOf<Name, Installed>(names, taken)
    const mib = (installed: Installed) => installed.mib
    const packages = (installed: Installed) => installed.packages
    const seconds = ({ wallMs }: Installed) => wallMs / 1000
    const columns = [
      race.column("packages", packages),
      race.column("MiB on disk", mib),
      race.column("seconds", seconds)
    ]
    return [
      race.table(columns, {
        title: "Install",
        about:
          "`npm install` into an empty folder, from npm's cache; the sum of all blocks on disk. What the SDKs take is mostly the CLI that they bring along.",
        verdicts: [
          verdict("Packages of a plain user", race.median("reins", packages), 1, ""),
          verdict("Installed size of a plain user", race.median("reins", mib), 6.7, " MiB")
        ]
      })
    ]
  }
}
