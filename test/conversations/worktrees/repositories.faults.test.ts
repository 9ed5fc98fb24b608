/** Repositories of every kind: a conversation works in its worktree, or is refused with the cause and the cure. */
import { existsSync, readdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { gitIn, put, textOf } from "../../kit/repository.ts"
import { makeDirectory } from "../../kit/temporary.ts"
import { type Work, workshop } from "./kit.ts"

const byPrompt: Work = (directory, { prompt }) => put(directory, { [`${prompt}.txt`]: `${prompt}\n` })
const statusOf = (repository: string) => gitIn(repository, "status", "--porcelain", "--untracked-files=all")

const refused: ReadonlyArray<readonly [string, (directory: string) => string, RegExp]> = [
  ["no repository", (directory) => directory, /is not in a git repository/],
  [
    "no commit",
    (directory) => {
      gitIn(directory, "init", "--quiet")
      return directory
    },
    /has no commit yet/
  ],
  [
    "no working tree",
    (directory) => {
      gitIn(directory, "init", "--quiet", "--bare")
      return directory
    },
    /is not in a git repository \(.*bare/
  ],
  [
    "a part that is not committed",
    (directory) => {
      gitIn(directory, "init", "--quiet")
      put(directory, { "a.txt": "", "new/b.txt": "" })
      gitIn(directory, "add", "a.txt")
      gitIn(directory, "commit", "--quiet", "--message", "first")
      return join(directory, "new")
    },
    /"new\/" is not in the last commit/
  ],
  ["a missing directory", (directory) => join(directory, "missing"), /does not exist/]
]

describe("a worktree is refused in a directory with", () => {
  it.live.each(refused)("%s", ([_, make, problem]) =>
    Effect.gen(function* () {
      const { run, agent, worktrees } = yield* workshop(byPrompt)
      const workingDirectory = make(yield* makeDirectory)
      const { message } = yield* Effect.flip(run({ conversation: "a", prompt: "x", worktree: true, workingDirectory }))
      assert.match(message, problem)
      assert.deepStrictEqual([agent.calls, yield* worktrees.list], [[], []])
    }).pipe(Effect.scoped)
  )
})

/** Changes the repository of the test, and returns where the conversation works. */
const kinds: ReadonlyArray<readonly [string, (repository: string, other: string) => string]> = [
  [
    "a detached head",
    (repository) => {
      gitIn(repository, "checkout", "--quiet", "--detach")
      return repository
    }
  ],
  [
    "a shallow clone",
    (repository, other) => {
      gitIn(repository, "commit", "--quiet", "--allow-empty", "--message", "second")
      gitIn(other, "clone", "--quiet", "--depth", "1", `file://${repository}`, "clone")
      return join(other, "clone")
    }
  ],
  [
    "a worktree of the person",
    (repository, other) => {
      gitIn(repository, "worktree", "add", "--quiet", join(other, "linked"))
      return join(other, "linked")
    }
  ],
  [
    "a submodule",
    (repository, other) => {
      gitIn(other, "init", "--quiet", "lib")
      gitIn(join(other, "lib"), "commit", "--quiet", "--allow-empty", "--message", "first")
      gitIn(repository, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", join(other, "lib"), "lib")
      gitIn(repository, "commit", "--quiet", "--message", "lib")
      return repository
    }
  ],
  [
    "pointers of LFS",
    (repository) => {
      put(repository, {
        ".gitattributes": "*.bin filter=lfs diff=lfs merge=lfs -text\n",
        "x.bin": "version https://git-lfs\n"
      })
      gitIn(repository, "add", "--all")
      gitIn(repository, "commit", "--quiet", "--message", "lfs")
      gitIn(repository, "config", "filter.lfs.clean", "cat")
      gitIn(repository, "config", "filter.lfs.smudge", "false")
      gitIn(repository, "config", "filter.lfs.required", "true")
      return repository
    }
  ],
  [
    "a sparse checkout",
    (repository) => {
      put(repository, { "far/c.txt": "three\n" })
      gitIn(repository, "add", "--all")
      gitIn(repository, "commit", "--quiet", "--message", "far")
      gitIn(repository, "sparse-checkout", "set", "sub")
      return repository
    }
  ],
  [
    "separate data of git",
    (repository, other) => {
      renameSync(join(repository, ".git"), join(other, "data"))
      writeFileSync(join(repository, ".git"), `gitdir: ${join(other, "data")}\n`)
      return repository
    }
  ],
  [
    "a link to it",
    (repository, other) => {
      symlinkSync(repository, join(other, "link"))
      return join(other, "link")
    }
  ]
]

describe("a conversation works in a repository with", () => {
  it.live.each(kinds)("%s", ([_, make]) =>
    Effect.gen(function* () {
      const { run, repository, worktrees, agent } = yield* workshop((directory, { prompt = "" }) => {
        put(directory, { "a.txt": "changed\n", "sub/b.txt": `${prompt}\n`, "new/deep/c.txt": "new\n" })
      })
      const workingDirectory = make(repository, yield* makeDirectory)
      const before = statusOf(workingDirectory)
      yield* run({ conversation: "fix", prompt: "1", worktree: true, workingDirectory })
      assert.strictEqual(statusOf(workingDirectory), before)
      yield* run({ conversation: "fix", prompt: "2", workingDirectory })
      assert.strictEqual(agent.calls[0]?.params.workingDirectory, agent.calls[1]?.params.workingDirectory)
      const paths = ["a.txt", "new/deep/c.txt", "sub/b.txt"]
      assert.deepStrictEqual(
        (yield* worktrees.changes("fix")).files.map(({ path }) => path),
        paths
      )
      yield* worktrees.commit("fix")
      assert.deepStrictEqual((yield* worktrees.apply("fix")).map(({ path }) => path).toSorted(), paths)
      assert.strictEqual(textOf(workingDirectory, "sub/b.txt"), "2\n")
      yield* worktrees.discard("fix")
      assert.strictEqual(yield* worktrees.remove("fix"), "removed")
      assert.deepStrictEqual(yield* worktrees.leftovers, [])
    }).pipe(Effect.scoped)
  )

  it.live("a worktree of another conversation, from the files of that one's branch", () =>
    Effect.gen(function* () {
      const { run, worktrees } = yield* workshop(byPrompt)
      yield* run({ conversation: "outer", prompt: "outer", worktree: true })
      yield* worktrees.commit("outer")
      const [outer] = yield* worktrees.list
      yield* run({ conversation: "inner", prompt: "inner", worktree: true, workingDirectory: outer?.path })
      assert.deepStrictEqual(
        (yield* worktrees.changes("inner")).files.map(({ path }) => path),
        ["inner.txt"]
      )
      yield* worktrees.apply("inner")
      assert.strictEqual(textOf(outer?.path ?? "", "inner.txt"), "inner\n")
      assert.deepStrictEqual(
        (yield* worktrees.changes("outer")).files.map(({ path }) => path),
        ["inner.txt", "outer.txt"]
      )
    }).pipe(Effect.scoped)
  )

  it.live("names of every kind: spaces, quotes, line ends, bytes that are not text", () =>
    Effect.gen(function* () {
      const { run, worktrees, repository } = yield* workshop((directory) => {
        put(directory, { 'a "b"\n\tc': "1", "ü/ñ": "2", "-rf": "3", ":(top)x": "4" })
        writeFileSync(Buffer.concat([Buffer.from(`${directory}/`), Buffer.from([0xff, 0x41])]), "5")
      })
      yield* run({ conversation: "fix", prompt: "x", worktree: true })
      assert.strictEqual((yield* worktrees.changes("fix")).files.length, 5)
      assert.strictEqual((yield* worktrees.apply("fix")).length, 5)
      assert.strictEqual(textOf(repository, 'a "b"\n\tc'), "1")
      assert.isTrue(existsSync(Buffer.concat([Buffer.from(`${repository}/`), Buffer.from([0xff, 0x41])])))
    }).pipe(Effect.scoped)
  )

  it.live("names that differ in case alone, conversations too", () =>
    Effect.gen(function* () {
      const { run, worktrees } = yield* workshop(byPrompt)
      for (const conversation of ["Fix", "fix", "FIX", "fix--", "con", "a/b", "a b", ".."]) {
        yield* run({ conversation, prompt: "x", worktree: true })
      }
      const names = (yield* worktrees.list).map(({ name }) => name)
      assert.strictEqual(new Set(names.map((name) => name.toLowerCase())).size, 8)
      for (const name of names) assert.match(name, /^[a-z0-9][a-z0-9-]{1,60}$/)
    }).pipe(Effect.scoped)
  )
})

describe("changes are never written", () => {
  const hostile: ReadonlyArray<
    readonly [string, Work, (repository: string, outside: string) => void, ReadonlyArray<string>]
  > = [
    [
      "through a link that leads out of the repository",
      (directory) => put(directory, { "out/evil.txt": "evil" }),
      (repository, outside) => symlinkSync(outside, join(repository, "out")),
      ["out/evil.txt"]
    ],
    [
      "over a file that git ignores",
      (directory) => {
        put(directory, { ".gitignore": "", ignored: "agent's" })
      },
      (repository) => put(repository, { ignored: "mine" }),
      ["ignored"]
    ],
    [
      "over a directory with files of the person",
      (directory) => put(directory, { build: "a file" }),
      (repository) => put(repository, { "build/mine.txt": "mine" }),
      ["build"]
    ]
  ]
  it.live.each(hostile)("%s", ([_, work, prepare, paths]) =>
    Effect.gen(function* () {
      const { run, worktrees, repository } = yield* workshop(work)
      const outside = yield* makeDirectory
      yield* run({ conversation: "fix", prompt: "x", worktree: true })
      prepare(repository, outside)
      const before = statusOf(repository)
      const { reason } = yield* Effect.flip(worktrees.apply("fix"))
      assert.deepInclude(reason, { _tag: "WouldOverwrite", paths })
      assert.strictEqual(statusOf(repository), before)
      assert.deepStrictEqual(readdirSync(outside), [])
    }).pipe(Effect.scoped)
  )
})
