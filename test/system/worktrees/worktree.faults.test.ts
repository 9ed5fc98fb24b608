/** A worktree is a copy of the last commit, tells what was changed in it, and leaves nothing. */
import { chmodSync, existsSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { NodeServices } from "@effect/platform-node"
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Exit, Fiber, Scope } from "effect"
import { changesOf } from "../../../src/system/worktrees/changes.ts"
import { findRepository } from "../../../src/system/worktrees/git.ts"
import { makeWorktree } from "../../../src/system/worktrees/worktree.ts"
import { gitIn, leftIn, makeRepository, put, textOf } from "../../kit/repository.ts"
import { makeDirectory } from "../../kit/temporary.ts"

const worktreeOf = (directory: string) => Effect.flatMap(findRepository(directory), makeWorktree)

const problemOf = (directory: string) =>
  worktreeOf(directory).pipe(
    Effect.scoped,
    Effect.flip,
    Effect.map(({ problem }) => problem)
  )

describe("a worktree", () => {
  layer(NodeServices.layer, { excludeTestServices: true })((it) => {
    it.effect("has the last commit, without what is not committed", () =>
      Effect.gen(function* () {
        const repository = yield* makeRepository
        put(repository, { "a.txt": "not committed\n", "new.txt": "" })
        const { directory } = yield* worktreeOf(repository)
        assert.strictEqual(textOf(directory, "a.txt"), "one\n")
        assert.isFalse(existsSync(join(directory, "new.txt")))
        assert.strictEqual(textOf(repository, "a.txt"), "not committed\n")
      })
    )

    it.effect("stands at the same place in the repository", () =>
      Effect.gen(function* () {
        const { directory } = yield* worktreeOf(join(yield* makeRepository, "sub"))
        assert.strictEqual(textOf(directory, "b.txt"), "two\n")
      })
    )

    it.effect("tells all changes, committed or not, and those alone", () =>
      Effect.gen(function* () {
        const repository = yield* makeRepository
        const { directory, changes } = yield* worktreeOf(join(repository, "sub"))
        put(directory, { "../a.txt": "changed\n", "new file.txt": "new\n", "../ignored": "" })
        gitIn(directory, "commit", "--all", "--quiet", "--message", "by the agent")
        rmSync(join(directory, "b.txt"))
        const { base, commit, paths, patch } = yield* changes
        assert.strictEqual(base, gitIn(repository, "rev-parse", "HEAD").trim())
        assert.deepStrictEqual(paths, ["a.txt", "sub/b.txt", "sub/new file.txt"])
        const applied = yield* makeDirectory
        put(applied, { "a.txt": "one\n", "sub/b.txt": "two\n", "patch.txt": patch ?? "" })
        gitIn(applied, "apply", "patch.txt")
        assert.strictEqual(textOf(applied, "a.txt"), "changed\n")
        assert.isFalse(existsSync(join(applied, "sub/b.txt")))
        assert.strictEqual(gitIn(repository, "show", `${commit}:sub/new file.txt`), "new\n")
      })
    )

    const changed: ReadonlyArray<readonly [string, ReadonlyArray<string>, (directory: string) => void]> = [
      [
        "a file that was moved",
        ["a.txt", "src/a.txt"],
        (directory) => {
          mkdirSync(join(directory, "src"))
          renameSync(join(directory, "a.txt"), join(directory, "src/a.txt"))
        }
      ],
      ["a new mode", ["a.txt"], (directory) => chmodSync(join(directory, "a.txt"), 0o755)],
      [
        "a file that is a directory now",
        ["a.txt", "a.txt/c.txt"],
        (directory) => {
          rmSync(join(directory, "a.txt"))
          put(directory, { "a.txt/c.txt": "" })
        }
      ],
      [
        "a directory that is a link now",
        ["sub", "sub/b.txt"],
        (directory) => {
          rmSync(join(directory, "sub"), { recursive: true })
          symlinkSync("..", join(directory, "sub"))
        }
      ],
      [
        "a directory that is a link to its like",
        ["other/b.txt", "sub", "sub/b.txt"],
        (directory) => {
          renameSync(join(directory, "sub"), join(directory, "other"))
          symlinkSync("other", join(directory, "sub"))
        }
      ],
      [
        "a directory that is a file now",
        ["sub", "sub/b.txt"],
        (directory) => {
          rmSync(join(directory, "sub"), { recursive: true })
          put(directory, { sub: "" })
        }
      ],
      [
        "what a conflict left",
        ["a.txt"],
        (directory) => {
          const [one, two] = ["x\n", "y\n"].map((text) => {
            put(directory, { "a.txt": text })
            gitIn(directory, "commit", "--all", "--quiet", "--message", text)
            const id = gitIn(directory, "rev-parse", "HEAD").trim()
            gitIn(directory, "reset", "--hard", "--quiet", "HEAD^")
            return id
          })
          gitIn(directory, "reset", "--hard", "--quiet", one ?? "")
          assert.throws(() => gitIn(directory, "merge", "--quiet", two ?? ""))
        }
      ],
      [
        "nothing of files that a sparse checkout leaves out",
        [],
        (directory) => {
          gitIn(directory, "update-index", "--skip-worktree", "sub/b.txt")
          rmSync(join(directory, "sub"), { recursive: true })
        }
      ],
      [
        "nothing of a new repository without a commit",
        ["a.txt"],
        (directory) => {
          put(directory, { "a.txt": "changed", "app/c.txt": "" })
          gitIn(join(directory, "app"), "init", "--quiet")
        }
      ]
    ]
    it.effect.each(changed)("tells %s", ([_, paths, change]) =>
      Effect.gen(function* () {
        const { directory, changes } = yield* worktreeOf(yield* makeRepository)
        change(directory)
        assert.deepStrictEqual((yield* changes).paths, paths)
      })
    )

    it.effect.runIf(process.platform === "linux")("reports a file whose name is not UTF-8", () =>
      Effect.gen(function* () {
        const repository = yield* makeRepository
        const { directory, changes } = yield* worktreeOf(repository)
        writeFileSync(Buffer.concat([Buffer.from(`${directory}/`), Buffer.from([0x80, 0xff])]), "kept\n")
        const { commit } = yield* changes
        assert.include(gitIn(repository, "ls-tree", "--name-only", commit), '"\\200\\377"')
      })
    )

    it.effect("tells no changes where their list is cut", () =>
      Effect.gen(function* () {
        const { directory } = yield* worktreeOf(yield* makeRepository)
        const gitDirectory = gitIn(directory, "rev-parse", "--absolute-git-dir").trim()
        const cut = changesOf({ workingDirectory: directory, gitDirectory }, "HEAD", 10)
        assert.include((yield* Effect.flip(cut)).problem, "too many files")
      })
    )

    it.effect("reports no changes without changes", () =>
      Effect.gen(function* () {
        const { changes } = yield* worktreeOf(yield* makeRepository)
        const { paths, patch } = yield* changes
        assert.deepStrictEqual([paths, patch], [[], ""])
      })
    )

    it.effect("tells them where the agent has left a lock behind", () =>
      Effect.gen(function* () {
        const repository = yield* makeRepository
        const { directory, changes } = yield* worktreeOf(repository)
        put(gitIn(directory, "rev-parse", "--absolute-git-dir").trim(), { "index.lock": "" })
        put(directory, { "a.txt": "changed\n" })
        assert.deepStrictEqual((yield* changes).paths, ["a.txt"])
      })
    )

    const remains: ReadonlyArray<readonly [string, (directory: string) => void]> = [
      ["after nothing", () => {}],
      ["after changes", (directory) => put(directory, { "a.txt": "x", "deep/er/c.txt": "" })],
      ["where its .git is gone", (directory) => rmSync(join(directory, ".git"))],
      ["where all of it is gone", (directory) => rmSync(directory, { recursive: true })],
      ["where it was locked", (directory) => void gitIn(directory, "worktree", "lock", directory)],
      [
        "with directories without write permission",
        (directory) => {
          put(directory, { "sealed/c.txt": "" })
          chmodSync(join(directory, "sealed"), 0o500)
        }
      ]
    ]
    it.effect.each(remains)("leaves nothing %s", ([_, change]) =>
      Effect.gen(function* () {
        const repository = yield* makeRepository
        const directory = yield* Effect.scoped(
          Effect.tap(
            Effect.map(worktreeOf(repository), (made) => made.directory),
            (made) => Effect.sync(() => change(made))
          )
        )
        assert.isFalse(existsSync(directory))
        assert.deepStrictEqual(leftIn(repository), [])
        assert.strictEqual(gitIn(repository, "status", "--porcelain"), "")
      })
    )

    it.effect("that was replaced by a link leaves what the link leads to", () =>
      Effect.gen(function* () {
        const repository = yield* makeRepository
        const elsewhere = yield* makeDirectory
        put(elsewhere, { "precious.txt": "" })
        const moved = join(yield* makeDirectory, "moved")
        const scope = yield* Scope.make()
        const { directory } = yield* Scope.provide(worktreeOf(repository), scope)
        renameSync(directory, moved)
        symlinkSync(elsewhere, directory)
        yield* Scope.close(scope, Exit.void)
        assert.deepStrictEqual(leftIn(repository), [])
        assert.isTrue(existsSync(join(elsewhere, "precious.txt")))
      })
    )

    it.effect("leaves nothing when it is interrupted while it is made", () =>
      Effect.gen(function* () {
        const repository = yield* makeRepository
        for (const turns of [1, 10, 100, 1000]) {
          const fiber = yield* Effect.forkChild(Effect.scoped(worktreeOf(repository)))
          for (let turn = 0; turn < turns; turn += 1) yield* Effect.yieldNow
          yield* Fiber.interrupt(fiber)
        }
        assert.deepStrictEqual(leftIn(repository), [])
      })
    )

    it.effect("many at once have a directory each", () =>
      Effect.gen(function* () {
        const repository = yield* makeRepository
        const directories = yield* Effect.scoped(
          Effect.map(
            Effect.forEach([1, 2, 3, 4], () => worktreeOf(repository), { concurrency: "unbounded" }),
            (made) => made.map(({ directory }) => directory)
          )
        )
        assert.strictEqual(new Set(directories).size, 4)
        assert.deepStrictEqual(leftIn(repository), [])
      })
    )

    it.effect("is refused outside of a repository, without a commit, and for a directory that no commit has", () =>
      Effect.gen(function* () {
        const directory = yield* makeDirectory
        assert.include(yield* problemOf(directory), "is not in a git repository")
        gitIn(directory, "init", "--quiet")
        assert.include(yield* problemOf(directory), "has no commit yet")
        const repository = yield* makeRepository
        mkdirSync(join(repository, "new"))
        assert.strictEqual(yield* problemOf(join(repository, "new")), '"new/" is not in the last commit')
        assert.deepStrictEqual(leftIn(repository), [])
      })
    )
  })
})
