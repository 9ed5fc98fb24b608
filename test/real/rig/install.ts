// The CLIs of the real-CLI tests, and their installation from the package registry into the cache folder. Takes a row
// of the table, gives its executable. No install script of a package runs: the executable is found instead.
// `REINS_REAL_CLIS=claude@2.1.300,codex@0.160.0` tests these, and only these, in other versions than the tested ones.
import { spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import { mkdir, readdir, readFile, rename, rm, symlink, writeFile } from "node:fs/promises"
import { dirname, join, relative } from "node:path"
import { fileURLToPath } from "node:url"
import { type CliId, clis } from "../../../src/cli/clis.ts"

export interface PinnedCli {
  /** The command it provides. */
  readonly name: CliId
  readonly package: string
  readonly version: string
  /** Finds the executable below `node_modules`; without it, `.bin/<name>` is taken. */
  readonly executable?: (modules: string) => Promise<string>
}

/** Claude's package is a stub that a platform package completes; npm installs only the platform package that fits. */
const nativeClaude = async (modules: string): Promise<string> => {
  const scope = join(modules, "@anthropic-ai")
  const folders = (await readdir(scope)).filter((folder) => folder.startsWith("claude-code-"))
  const found = folders.map((folder) => join(scope, folder, "claude")).find((file) => existsSync(file))
  if (found === undefined) throw new Error(`no native claude for ${process.platform}-${process.arch}`)
  return found
}

/** Two of OpenCode's platform packages can fit; the baseline one runs on any processor. */
const nativeOpencode = async (modules: string): Promise<string> => {
  const folders = (await readdir(modules)).filter(
    (folder) => folder.startsWith("opencode-") && folder !== "opencode-ai"
  )
  const files = folders.map((folder) => join(modules, folder, "bin", "opencode")).filter((file) => existsSync(file))
  const found = files.find((file) => file.includes("-baseline")) ?? files[0]
  if (found === undefined) throw new Error(`no native opencode for ${process.platform}-${process.arch}`)
  return found
}

const packages: ReadonlyArray<Omit<PinnedCli, "version">> = [
  { name: "claude", package: "@anthropic-ai/claude-code", executable: nativeClaude },
  { name: "codex", package: "@openai/codex" },
  { name: "gemini", package: "@google/gemini-cli" },
  { name: "opencode", package: "opencode-ai", executable: nativeOpencode },
  { name: "pi", package: "@earendil-works/pi-coding-agent" }
]

export const otherVersions = "REINS_REAL_CLIS"

const chosen: ReadonlyMap<string, string> = new Map(
  (process.env[otherVersions] ?? "").split(",").flatMap((words): ReadonlyArray<readonly [string, string]> => {
    const [name, version] = words.split("@")
    return name === undefined || version === undefined ? [] : [[name, version]]
  })
)

/** A CLI in any version. */
export const cliIn = (id: CliId, version: string): PinnedCli => {
  const found = packages.find(({ name }) => name === id)
  if (found === undefined) throw new Error(`${id} is not among the CLIs`)
  return { ...found, version }
}

/** The version that the tests run with. */
export const versionOf = (id: CliId): string => chosen.get(id) ?? clis[id].testedVersion

export const isTested = (id: CliId): boolean => versionOf(id) === clis[id].testedVersion

export const pinnedClis: ReadonlyArray<PinnedCli> = packages.map(({ name }) => cliIn(name, versionOf(name)))

/** CLIs that the tests need. */
export const clisUnderTest = pinnedClis.filter(({ name }) => chosen.size === 0 || chosen.has(name))

/** Other versions than the tested ones have a folder of their own, which can be thrown away. */
const cacheFolder = (cli: PinnedCli) =>
  fileURLToPath(
    new URL(`../../../.cache/${cli.version === clis[cli.name].testedVersion ? "cli" : "drift"}`, import.meta.url)
  )

/** Where a CLI's command lies once it is installed: `<cache>/<name>-<version>/bin/<name>`. */
export const commandOf = (cli: PinnedCli): string =>
  join(cacheFolder(cli), `${cli.name}-${cli.version}`, "bin", cli.name)

const npmInstall = (cli: PinnedCli, folder: string): void => {
  const flags = ["--ignore-scripts", "--include=optional", "--no-audit", "--no-fund", "--no-package-lock"]
  const npm = spawnSync("npm", ["install", "--prefix", folder, ...flags, `${cli.package}@${cli.version}`], {
    cwd: folder,
    stdio: ["ignore", "ignore", "pipe"],
    encoding: "utf8"
  })
  if (npm.status === 0) return
  const why = npm.error?.message ?? npm.stderr.trim()
  throw new Error(`npm could not install ${cli.package}@${cli.version}: ${why}`)
}

/** Installs a CLI unless it is there; a half-finished installation is never taken for one. */
export const install = async (cli: PinnedCli): Promise<string> => {
  const command = commandOf(cli)
  if (existsSync(command)) return command
  const folder = dirname(dirname(command))
  const draft = `${folder}.${process.pid}`
  await mkdir(join(draft, "bin"), { recursive: true })
  await writeFile(join(draft, "package.json"), '{ "private": true }\n')
  npmInstall(cli, draft)
  const modules = join(draft, "node_modules")
  const manifest = JSON.parse(await readFile(join(modules, cli.package, "package.json"), "utf8"))
  if (manifest.version !== cli.version) throw new Error(`${cli.package} is ${manifest.version}, not ${cli.version}`)
  const executable = await (cli.executable?.(modules) ?? Promise.resolve(join(modules, ".bin", cli.name)))
  await symlink(relative(join(draft, "bin"), executable), join(draft, "bin", cli.name))
  await rm(folder, { recursive: true, force: true })
  await rename(draft, folder)
  return command
}
