/** The program of the release before, packed from its tag as its users have it: built once, and kept in the cache folder. */
import { spawnSync } from "node:child_process"
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("../..", import.meta.url))

interface Previous {
  readonly version: string
  /** The commit that has the tag, for clones without tags. */
  readonly commit: string
}

const { version, commit }: Previous = JSON.parse(readFileSync(new URL("previous.json", import.meta.url), "utf8"))

const run = (cwd: string, command: string, ...args: ReadonlyArray<string>) => {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, encoding: "utf8" })
  if (status !== 0) throw new Error(`${command} ${args.join(" ")}: ${error?.message ?? `${stdout}${stderr}`}`)
  return stdout.trim()
}

const has = (ref: string) => spawnSync("git", ["cat-file", "-e", `${ref}^{commit}`], { cwd: root }).status === 0

const ref = [`v${version}`, commit].find(has)

export const hasPrevious = ref !== undefined

if (!hasPrevious) {
  console.warn(`SKIPPED: the tests of upgrades, as this clone has neither the tag v${version} nor the commit ${commit}`)
}

const build = (draft: string, from: string) => {
  run(draft, "git", "clone", "--quiet", "--no-checkout", root, "source")
  const source = join(draft, "source")
  run(source, "git", "checkout", "--quiet", from)
  run(source, "npm", "ci", "--silent", "--no-audit", "--no-fund")
  run(source, "npm", "run", "--silent", "build")
  run(source, "npm", "pack", "--silent", "--ignore-scripts", "--pack-destination", draft)
  const packed = readdirSync(draft).find((name) => name.endsWith(".tgz")) ?? ""
  writeFileSync(join(draft, "package.json"), '{ "private": true }\n')
  run(draft, "npm", "install", "--silent", "--offline", "--no-audit", "--no-fund", `./${packed}`)
  rmSync(source, { recursive: true })
}

/** The file of the program. Throws in a clone without that release. */
export const previousProgram = (): string => {
  if (ref === undefined) throw new Error(`the release ${version} is missing`)
  const cache = join(root, ".cache/previous")
  const folder = join(cache, run(root, "git", "rev-parse", `${ref}^{commit}`))
  if (!existsSync(folder)) {
    mkdirSync(cache, { recursive: true })
    const draft = mkdtempSync(join(cache, "draft-"))
    try {
      build(draft, ref)
      renameSync(draft, folder)
    } finally {
      rmSync(draft, { recursive: true, force: true })
    }
  }
  return join(folder, "node_modules/reins/dist/program.js")
}
