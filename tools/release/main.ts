// `npm run release [-- --dry-run | -- --publish]`: makes a release of the commit that is checked out, in a clone of it, so
// that nothing goes in that is not committed. The notes in `.changeset` become a version and its part of the changelog;
// without notes the version in package.json is released, if it has no tag, or this commit has it. The package is built,
// checked and tried, and lies with its notes in `.cache/release`. Then the commit of the version and its tag come back here.
// `--dry-run` leaves everything here as it is; `--publish` sends the package to the registry, too, without provenance: that
// is for a runner, which can prove where it was built (.github/workflows/release.yml).
import { spawnSync } from "node:child_process"
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { notesOf, withLockedVersion, withVersion } from "./notes.ts"
import { decodePacked, problemsOfFiles, problemsOfLicences, targetsOf } from "./tarball.ts"
import { changesets, tool } from "./tool.ts"

const root = join(import.meta.dirname, "../..")
const results = join(root, ".cache/release")
const [dryRun, publish] = ["--dry-run", "--publish"].map((flag) => process.argv.includes(flag))

const say = (line: string) => process.stdout.write(`${line}\n`)

interface Options {
  readonly cwd: string
  /** Shown instead of returned. */
  readonly isShown?: boolean
}

const run = (command: string, args: ReadonlyArray<string>, { cwd, isShown = false }: Options): string => {
  const stdout = isShown ? "inherit" : "pipe"
  const { status, error, ...output } = spawnSync(command, args, {
    cwd,
    encoding: "utf8",
    stdio: ["ignore", stdout, "pipe"]
  })
  if (status === 0) return output.stdout ?? ""
  const why = error?.message ?? `${output.stdout ?? ""}${output.stderr}`.trim()
  throw new Error(`${command} ${args.join(" ")} failed: ${why}`)
}

const git = (cwd: string, ...args: ReadonlyArray<string>) => run("git", args, { cwd }).trim()
const read = (folder: string, path: string) => readFileSync(join(folder, path), "utf8")
const manifestOf = (folder: string) => JSON.parse(read(folder, "package.json"))

const rewrite = (folder: string, path: string, change: (text: string) => string) => {
  const text = read(folder, path)
  const changed = change(text)
  if (changed !== text) writeFileSync(join(folder, path), changed)
}

const hasNotes = (clone: string) =>
  readdirSync(join(clone, ".changeset")).some((name) => name.endsWith(".md") && name !== "README.md")

const isTagged = (clone: string, version: string) =>
  git(clone, "tag", "--points-at", "HEAD").split("\n").includes(`v${version}`)

/** Turns the notes into a version, in everything that names it, and commits that. Returns the version. */
const versionIn = (clone: string): string => {
  if (!hasNotes(clone)) {
    const { version } = manifestOf(clone)
    if (git(clone, "tag", "--list", `v${version}`) === "" || isTagged(clone, version)) return version
    throw new Error(`${version} is released, and .changeset has no note: write one with \`npm run change\``)
  }
  run(process.execPath, [tool(changesets), "version"], { cwd: clone })
  const { version } = manifestOf(clone)
  rewrite(clone, "package-lock.json", (lock) => withLockedVersion(lock, version))
  for (const path of git(clone, "ls-files", "README.md", "docs", "examples").split("\n")) {
    rewrite(clone, path, (page) => withVersion(page, version))
  }
  git(clone, "add", "--all")
  git(clone, "commit", "--quiet", "--message", `Release ${version}`)
  return version
}

const check = (name: string, problems: ReadonlyArray<string>) => {
  if (problems.length > 0) throw new Error([`${name}:`, ...problems].join("\n  "))
  say(`✓ ${name}`)
}

/** Installs the package alone in an empty project, and starts its program. */
const tryOut = (file: string, version: string) => {
  const project = mkdtempSync(join(tmpdir(), "reins-release-"))
  try {
    writeFileSync(join(project, "package.json"), '{ "private": true, "type": "module" }\n')
    run("npm", ["install", "--silent", "--no-audit", "--no-fund", "--offline", file], { cwd: project })
    const printed = run(join(project, "node_modules/.bin/reins"), ["--version"], { cwd: project })
    check("the program starts", printed.includes(version) ? [] : [`it says ${printed.trim()}, not ${version}`])
    const door = 'import { createAgent } from "reins/promise"; if (typeof createAgent !== "function") process.exit(1)'
    run(process.execPath, ["--input-type=module", "--eval", door], { cwd: project })
    check("reins/promise is loaded without effect", [])
  } finally {
    rmSync(project, { recursive: true, force: true })
  }
}

const pack = (clone: string): string => {
  run("npm", ["ci", "--silent", "--no-audit", "--no-fund"], { cwd: clone })
  run("npm", ["run", "--silent", "build"], { cwd: clone })
  const packed = decodePacked(JSON.parse(run("npm", ["pack", "--json", "--ignore-scripts"], { cwd: clone })))
  check("files and size", problemsOfFiles(packed, targetsOf(manifestOf(clone))))
  check("licences", problemsOfLicences(read(clone, "dist/LICENSES.txt")))
  const file = join(clone, packed.filename)
  run(process.execPath, [tool("publint/src/cli.js"), "run", file, "--strict"], { cwd: clone })
  check("publint", [])
  const wrongTypes = [
    tool("@arethetypeswrong/cli/dist/index.js"),
    file,
    "--profile",
    "esm-only",
    "--no-definitely-typed"
  ]
  run(process.execPath, wrongTypes, { cwd: clone })
  check("are the types wrong", [])
  say(`  ${packed.filename}: ${packed.files.length} files, ${(packed.size / 1e6).toFixed(1)} MB packed`)
  return file
}

const publishArguments = (file: string): ReadonlyArray<string> => ["publish", file, "--access", "public"]

/** Leaves the package and its notes in `.cache/release`. Returns the path of the package. */
const keep = (file: string, version: string, notes: string): string => {
  mkdirSync(results, { recursive: true })
  const tarball = join(results, `reins-${version}.tgz`)
  writeFileSync(join(results, `notes-${version}.md`), `${notes}\n`)
  copyFileSync(file, tarball)
  return tarball
}

const tag = (clone: string, version: string) => {
  run("git", ["pull", "--quiet", "--ff-only", clone, "HEAD"], { cwd: root })
  if (!isTagged(root, version)) git(root, "tag", "--annotate", `v${version}`, "--message", version)
}

const release = (clone: string) => {
  const version = versionIn(clone)
  const notes = notesOf(read(clone, "CHANGELOG.md"), version) ?? ""
  check(`the changelog has ${version}`, notes === "" ? [`CHANGELOG.md has no text below "## ${version}"`] : [])
  const file = pack(clone)
  tryOut(file, version)
  const tarball = keep(file, version, notes)
  const publishing = publishArguments(tarball)
  say("The package and its notes are in .cache/release.")
  if (manifestOf(clone).repository === undefined) say("package.json has no `repository`, which provenance needs.")
  if (dryRun)
    return say(`Dry run. A release would make the tag v${version} here, and then: npm ${publishing.join(" ")}`)
  tag(clone, version)
  say(`v${version} is tagged.`)
  if (publish) run("npm", publishing, { cwd: root, isShown: true })
  else say(`Publish it with \`git push --follow-tags\`, by the workflow, or with: npm ${publishing.join(" ")}`)
}

const main = () => {
  if (!dryRun && git(root, "status", "--porcelain") !== "") {
    throw new Error("the checkout has changes: commit them, or try with --dry-run, which takes the last commit")
  }
  const folder = mkdtempSync(join(tmpdir(), "reins-release-"))
  try {
    const clone = join(folder, "reins")
    run("git", ["clone", "--quiet", root, clone], { cwd: folder })
    release(clone)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

try {
  main()
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`)
  process.exitCode = 1
}
