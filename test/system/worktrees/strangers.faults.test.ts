/** No program is run that a repository's configuration names, whatever it names and wherever. */
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { NodeServices } from "@effect/platform-node"
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { HostEnvironment } from "../../../src/system/process/HostEnvironment.ts"
import { findRepository } from "../../../src/system/worktrees/git.ts"
import { makeWorktree } from "../../../src/system/worktrees/worktree.ts"
import { gitIn, leftIn, makeRepository, put } from "../../kit/repository.ts"
import { makeDirectory } from "../../kit/temporary.ts"

interface Trap {
  /** In which the programs leave files. */
  readonly folder: string
  readonly program: (name: string) => string
}

const makeTrap = Effect.map(makeDirectory, (folder): Trap => {
  const bin = join(folder, "bin")
  mkdirSync(bin)
  const program = (name: string) => {
    writeFileSync(join(bin, name), `#!/bin/sh\ntouch ${join(folder, "ran")}\ncat\n`)
    chmodSync(join(bin, name), 0o755)
    return join(bin, name)
  }
  return { folder, program }
})

/** All that git and a user do with a worktree here. */
const lifeIn = (repository: string) =>
  Effect.scoped(
    Effect.gen(function* () {
      const { directory, changes } = yield* Effect.flatMap(findRepository(repository), makeWorktree)
      put(directory, { "a.txt": "changed\n", "new.txt": "new\n" })
      return yield* changes
    })
  )

const realGit = (repository: string) => join(gitIn(repository, "--exec-path").trim(), "git")

const hooks = [
  "post-checkout",
  "post-index-change",
  "reference-transaction",
  "pre-auto-gc",
  "post-commit",
  "pre-commit"
]

type Setting = readonly [key: string, value: string]

const filters = (program: string, name: string): ReadonlyArray<Setting> => [
  [`filter.${name}.smudge`, program],
  [`filter.${name}.clean`, program],
  [`filter.${name}.required`, "true"]
]

const settings: Readonly<Record<string, (program: string) => ReadonlyArray<Setting>>> = {
  "filters of files": (program) => filters(program, "x"),
  "a filter whose name has an equals sign": (program) => filters(program, "x=y.z"),
  "a filter that is one long process": (program) => [["filter.x.process", program]],
  "a monitor of files": (program) => [["core.fsmonitor", program]],
  "a diff of its own": (program) => [
    ["diff.external", program],
    ["diff.x.command", program],
    ["diff.x.textconv", program]
  ],
  "hooks in the configuration": (program) =>
    hooks.flatMap(
      (event): ReadonlyArray<Setting> => [
        [`hook.x${event}.command`, program],
        [`hook.x${event}.event`, event]
      ]
    ),
  "another directory of hooks": (program) => [["core.hooksPath", join(program, "..")]],
  "an editor, a pager, a helper": (program) => [
    ["core.editor", program],
    ["core.pager", program],
    ["credential.helper", program],
    ["core.sshCommand", program],
    ["gpg.program", program],
    ["commit.gpgSign", "true"]
  ]
}

describe("a worktree runs no program of", () => {
  layer(NodeServices.layer, { excludeTestServices: true })((it) => {
    it.effect.each(Object.entries(settings))("%s", ([_, settingsOf]) =>
      Effect.gen(function* () {
        const repository = yield* makeRepository
        const { folder, program } = yield* makeTrap
        put(repository, { ".gitattributes": "* filter=x diff=x\n*.txt filter=x=y.z\n" })
        gitIn(repository, "add", "--all")
        gitIn(repository, "commit", "--quiet", "--message", "attributes")
        for (const name of hooks) program(name)
        for (const [key, value] of settingsOf(program("program"))) gitIn(repository, "config", "--add", key, value)
        assert.deepStrictEqual((yield* lifeIn(repository)).paths, ["a.txt", "new.txt"])
        assert.deepStrictEqual(readdirSync(folder), ["bin"])
        assert.deepStrictEqual(leftIn(repository), [])
      })
    )

    it.effect("hooks", () =>
      Effect.gen(function* () {
        const repository = yield* makeRepository
        const { folder, program } = yield* makeTrap
        for (const name of hooks) {
          writeFileSync(join(repository, ".git/hooks", name), `#!/bin/sh\nexec ${program(name)} < /dev/null\n`)
          chmodSync(join(repository, ".git/hooks", name), 0o755)
        }
        yield* lifeIn(repository)
        assert.deepStrictEqual(readdirSync(folder), ["bin"])
      })
    )

    it.effect("a configuration that is read in worktrees only", () =>
      Effect.gen(function* () {
        const repository = yield* makeRepository
        const { folder, program } = yield* makeTrap
        put(repository, { ".gitattributes": "* filter=x\n", "../included": "" })
        gitIn(repository, "add", "--all")
        gitIn(repository, "commit", "--quiet", "--message", "attributes")
        const included = join(folder, "bin", "included")
        for (const [key, value] of filters(program("program"), "x"))
          gitIn(repository, "config", "-f", included, key, value)
        gitIn(repository, "config", `includeIf.gitdir:${join(repository, ".git/worktrees")}/.path`, included)
        yield* lifeIn(repository)
        assert.deepStrictEqual(readdirSync(folder), ["bin"])
      })
    )

    it.effect("what a partial clone would fetch from", () =>
      Effect.gen(function* () {
        const repository = yield* makeRepository
        const { folder, program } = yield* makeTrap
        const blob = gitIn(repository, "rev-parse", "HEAD:a.txt").trim()
        gitIn(repository, "config", "remote.origin.url", `ext::${program("fetch")} %S`)
        gitIn(repository, "config", "remote.origin.promisor", "true")
        gitIn(repository, "config", "protocol.ext.allow", "always")
        gitIn(repository, "config", "extensions.partialClone", "origin")
        chmodSync(join(repository, ".git/objects", blob.slice(0, 2)), 0o755)
        yield* Effect.promise(() =>
          import("node:fs/promises").then(({ rm }) =>
            rm(join(repository, ".git/objects", blob.slice(0, 2), blob.slice(2)), { force: true })
          )
        )
        const { problem } = yield* Effect.flip(lifeIn(repository))
        assert.include(problem, "git reset failed")
        assert.isFalse(existsSync(join(folder, "ran")))
      })
    )

    it.effect("the variables of the host that steer git", () =>
      Effect.gen(function* () {
        const repository = yield* makeRepository
        const other = yield* makeRepository
        const { folder, program } = yield* makeTrap
        const steering = {
          GIT_DIR: join(other, ".git"),
          GIT_EXTERNAL_DIFF: program("diff"),
          GIT_INDEX_FILE: "/dev/null"
        }
        yield* lifeIn(repository).pipe(Effect.provideService(HostEnvironment, { ...process.env, ...steering }))
        assert.deepStrictEqual(readdirSync(folder), ["bin"])
        assert.deepStrictEqual(leftIn(other), [])
      })
    )
  })
})

describe("a worktree runs no program of a repository in it", () => {
  /** Leftovers of an agent in `sub`: a repository with a commit, whose configuration names programs. */
  const nest = (directory: string, program: string) => {
    put(directory, { "sub/f": "one\n", "sub/.gitattributes": "* filter=x diff=x\n" })
    const sub = join(directory, "sub")
    gitIn(sub, "init", "--quiet")
    gitIn(sub, "add", "--all")
    gitIn(sub, "commit", "--quiet", "--message", "nested")
    put(sub, { f: "two\n" })
    const programs = ["filter.x.clean", "filter.x.smudge", "diff.x.command", "diff.x.textconv", "core.fsmonitor"]
    for (const key of programs) gitIn(sub, "config", key, program)
    return gitIn(sub, "rev-parse", "HEAD").trim()
  }

  const link = (repository: string, commit: string) => {
    gitIn(repository, "update-index", "--add", "--cacheinfo", `160000,${commit},sub`)
    gitIn(repository, "commit", "--quiet", "--message", "submodule")
  }

  layer(NodeServices.layer, { excludeTestServices: true })((it) => {
    it.effect("that the commit has as a submodule", () =>
      Effect.gen(function* () {
        const repository = yield* makeRepository
        rmSync(join(repository, "sub"), { recursive: true })
        gitIn(repository, "rm", "--quiet", "-r", "--cached", "sub")
        const { folder, program } = yield* makeTrap
        const upstream = yield* makeDirectory
        const commit = nest(upstream, "")
        link(repository, commit)
        const { directory, changes } = yield* Effect.flatMap(findRepository(repository), makeWorktree)
        cpSync(join(upstream, "sub"), join(directory, "sub"), { recursive: true })
        gitIn(join(directory, "sub"), "config", "filter.x.clean", program("program"))
        put(directory, { "new.txt": "" })
        const { paths, commit: made } = yield* changes
        assert.deepStrictEqual(readdirSync(folder), ["bin"])
        assert.deepStrictEqual(paths, ["new.txt"])
        assert.include(gitIn(repository, "ls-tree", made, "sub"), `160000 commit ${commit}`)
      })
    )

    it.effect("that the agent has committed, whatever the user's diffs show", () =>
      Effect.gen(function* () {
        const repository = yield* makeRepository
        gitIn(repository, "config", "diff.submodule", "diff")
        const { folder, program } = yield* makeTrap
        const { directory, changes } = yield* Effect.flatMap(findRepository(repository), makeWorktree)
        rmSync(join(directory, "sub"), { recursive: true })
        gitIn(directory, "rm", "--quiet", "-r", "--cached", "sub")
        link(directory, nest(directory, program("program")))
        assert.deepStrictEqual((yield* changes).paths, ["sub", "sub/b.txt"])
        assert.deepStrictEqual(readdirSync(folder), ["bin"])
      })
    )
  })
})

describe("a git that cannot be told", () => {
  it.live("is refused, before it does anything", () =>
    Effect.gen(function* () {
      const repository = yield* makeRepository
      const bin = yield* makeDirectory
      writeFileSync(join(bin, "git"), `#!/bin/sh\nunset GIT_CONFIG_COUNT\nexec '${realGit(repository)}' "$@"\n`)
      chmodSync(join(bin, "git"), 0o755)
      const env = { ...process.env, PATH: bin }
      const { problem } = yield* Effect.flip(lifeIn(repository).pipe(Effect.provideService(HostEnvironment, env)))
      assert.include(problem, "git 2.31 or newer is needed")
      const missing = { ...process.env, PATH: "/nowhere" }
      const without = yield* Effect.flip(lifeIn(repository).pipe(Effect.provideService(HostEnvironment, missing)))
      assert.include(without.problem, "git was not found on PATH")
    }).pipe(Effect.provide(NodeServices.layer))
  )
})

describe("the traps", () => {
  it.live("catch git as its users call it", () =>
    Effect.gen(function* () {
      const repository = yield* makeRepository
      const { folder, program } = yield* makeTrap
      for (const [key, value] of filters(program("program"), "x")) gitIn(repository, "config", key, value)
      put(repository, { ".gitattributes": "* filter=x\n" })
      gitIn(repository, "add", "--all")
      assert.include(readdirSync(folder), "ran")
    })
  )
})
