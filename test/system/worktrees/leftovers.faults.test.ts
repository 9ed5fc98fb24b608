/** The next worktree clears what killed hosts have left, and nothing else. */
import { cpSync, existsSync, mkdirSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { NodeServices } from "@effect/platform-node"
import { assert, describe, layer } from "@effect/vitest"
import { Effect, type Scope } from "effect"
import { findRepository } from "../../../src/system/worktrees/git.ts"
import { makeWorktree } from "../../../src/system/worktrees/worktree.ts"
import { gitIn, leftIn, makeRepository } from "../../kit/repository.ts"
import { makeDirectory } from "../../kit/temporary.ts"

const worktreeOf = (directory: string) => Effect.flatMap(findRepository(directory), makeWorktree)

/** As a killed host leaves it: its lock is free. */
const leave = (repository: string, parent = realpathSync(tmpdir())): Effect.Effect<string, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const path = join(parent, `reins-${crypto.randomUUID()}.${crypto.randomUUID()}`)
      gitIn(repository, "worktree", "add", "--detach", "--quiet", path)
      writeFileSync(join(repository, ".git", `${basename(path)}.lock`), "")
      return path
    }),
    (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
  )

describe("the next worktree", () => {
  layer(NodeServices.layer, { excludeTestServices: true })((it) => {
    const states: ReadonlyArray<readonly [string, (path: string, repository: string) => void]> = [
      ["whole", () => {}],
      ["without its files, which the reaper removes", (path) => rmSync(path, { recursive: true })],
      ["without its .git", (path) => rmSync(join(path, ".git"))],
      ["without its lock", (path, repository) => rmSync(join(repository, ".git", `${basename(path)}.lock`))]
    ]
    it.effect.each(states)("clears one that is %s", ([_, change]) =>
      Effect.gen(function* () {
        const repository = yield* makeRepository
        const path = yield* leave(repository)
        change(path, repository)
        yield* Effect.scoped(worktreeOf(repository))
        assert.isFalse(existsSync(path))
        assert.deepStrictEqual(leftIn(repository), [])
      })
    )

    it.effect("clears one that another directory for temporary files has", () =>
      Effect.gen(function* () {
        const repository = yield* makeRepository
        const path = yield* leave(repository, yield* makeDirectory)
        yield* Effect.scoped(worktreeOf(repository))
        assert.isFalse(existsSync(path))
        assert.deepStrictEqual(leftIn(repository), [])
      })
    )

    it.effect("leaves one that is in use, and those of the user", () =>
      Effect.gen(function* () {
        const repository = yield* makeRepository
        const own = join(yield* makeDirectory, "mine")
        gitIn(repository, "worktree", "add", "--detach", "--quiet", own)
        const { directory } = yield* worktreeOf(repository)
        yield* Effect.scoped(worktreeOf(repository))
        assert.isTrue(existsSync(join(directory, "a.txt")))
        assert.isTrue(existsSync(join(own, "a.txt")))
      })
    )

    it.effect("in a copy of a repository leaves those of the original", () =>
      Effect.gen(function* () {
        const repository = yield* makeRepository
        const { directory, changes } = yield* worktreeOf(repository)
        writeFileSync(join(directory, "work.txt"), "")
        const copy = join(yield* makeDirectory, "copy")
        cpSync(repository, copy, { recursive: true })
        yield* Effect.scoped(worktreeOf(copy))
        assert.deepStrictEqual((yield* changes).paths, ["work.txt"])
      })
    )

    it.effect("removes no directory that the repository merely names", () =>
      Effect.gen(function* () {
        const repository = yield* makeRepository
        const name = `reins-${crypto.randomUUID()}.${crypto.randomUUID()}`
        const precious = join(yield* makeDirectory, name)
        mkdirSync(precious)
        writeFileSync(join(precious, "precious.txt"), "")
        const metadata = join(repository, ".git/worktrees", name)
        mkdirSync(metadata, { recursive: true })
        writeFileSync(join(metadata, "gitdir"), `${precious}/.git\n`)
        writeFileSync(join(metadata, "commondir"), "../..\n")
        writeFileSync(join(metadata, "HEAD"), gitIn(repository, "rev-parse", "HEAD"))
        yield* Effect.scoped(worktreeOf(repository))
        assert.isTrue(existsSync(join(precious, "precious.txt")))
      })
    )
  })
})
