/** A git repository of the test, and what a stranger could see of it. */
import { execFileSync } from "node:child_process"
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { Effect } from "effect"
import { makeDirectory } from "./temporary.ts"

const identity = { GIT_AUTHOR_NAME: "a", GIT_AUTHOR_EMAIL: "a@b", GIT_COMMITTER_NAME: "a", GIT_COMMITTER_EMAIL: "a@b" }

/** As its user calls it, with no configuration but the repository's own. */
export const gitIn = (directory: string, ...args: ReadonlyArray<string>) =>
  execFileSync("git", args, {
    cwd: directory,
    encoding: "utf8",
    env: { ...process.env, ...identity, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" },
    stdio: ["ignore", "pipe", "ignore"]
  })

export const put = (directory: string, files: Readonly<Record<string, string>>) => {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, name)), { recursive: true })
    writeFileSync(join(directory, name), text)
  }
}

export const filesOf = { "a.txt": "one\n", "sub/b.txt": "two\n", ".gitignore": "ignored\n" }

/** With one commit of `filesOf`. */
export const makeRepository = Effect.map(makeDirectory, (directory) => {
  gitIn(directory, "init", "--quiet")
  put(directory, filesOf)
  gitIn(directory, "add", "--all")
  gitIn(directory, "commit", "--quiet", "--message", "first")
  return directory
})

/** Leftovers of worktrees in a repository: their files, metadata and locks. */
export const leftIn = (directory: string): ReadonlyArray<string> => {
  const worktrees = gitIn(directory, "worktree", "list", "--porcelain").match(/^worktree .*$/gm) ?? []
  const inGit = readdirSync(join(directory, ".git"), { recursive: true, encoding: "utf8" })
  return [...worktrees.slice(1), ...inGit.filter((name) => /reins-|\.lock$/.test(name))]
}

export const textOf = (...path: ReadonlyArray<string>) => readFileSync(join(...path), "utf8")
