// The pinned CLIs of the real-CLI tests, and their installation from the package registry into the cache folder.
// Takes a row of the table, gives its executable. No install script of a package runs: the executable is found instead.
import { spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import { mkdir, readdir, readFile, rename, rm, symlink, writeFile } from "node:fs/promises"
import { dirname, join, relative } from "node:path"
import { fileURLToPath } from "node:url"

interface PinnedCli {
  /** The command it provides. */
  readonly name: string
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

/** Of OpenCode's platform packages two can fit; the baseline one runs on any processor. */
const nativeOpencode = async (modules: string): Promise<string> => {
  const folders = (await readdir(modules)).filter(
    (folder) => folder.startsWith("opencode-") && folder !== "opencode-ai"
  )
  const files = folders.map((folder) => join(modules, folder, "bin", "opencode")).filter((file) => existsSync(file))
  const found = files.find((file) => file.includes("-baseline")) ?? files[0]
  if (found === undefined) throw new Error(`no native opencode for ${process.platform}-${process.arch}`)
  return found
}

export const pinnedClis: ReadonlyArray<PinnedCli> = [
  { name: "claude", package: "@anthropic-ai/claude-code", version: "2.1.328", executable: nativeClaude },
  { name: "codex", package: "@openai/codex", version: "0.169.0" },
  { name: "gemini", package: "@google/gemini-cli", version: "0.61.0" },
  { name: "opencode", package: "opencode-ai", version: "1.18.33", executable: nativeOpencode }
]

const cacheFolder = fileURLToPath(new URL("../../../.cache/cli", import.meta.url))

/** Where a CLI's command lies once it is installed: `<cache>/<name>-<version>/bin/<name>`. */
export const commandOf = (cli: PinnedCli): string => join(cacheFolder, `${cli.name}-${cli.version}`, "bin", cli.name)

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
