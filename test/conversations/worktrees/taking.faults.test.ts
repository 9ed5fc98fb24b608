/** A person applies, commits or discards the changes of a conversation. */
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { WorktreeError } from "../../../src/contract/WorktreeError.ts"
import { gitIn, put, textOf } from "../../kit/repository.ts"
import { byPrompt, statusOf, workshop } from "./kit.ts"

describe("changes of a conversation", () => {
  it.live("do not touch those of another in the same file; the second are refused with the conflict", () =>
    Effect.gen(function* () {
      const { run, repository, worktrees } = yield* workshop((directory, { prompt }) =>
        put(directory, { "a.txt": prompt ?? "" })
      )
      yield* Effect.all(
        [
          run({ conversation: "one", prompt: "1\n", worktree: true }),
          run({ conversation: "two", prompt: "2\n", worktree: true })
        ],
        { concurrency: 2 }
      )
      yield* worktrees.apply("one")
      const uncommitted = (yield* Effect.flip(worktrees.apply("two"))).reason
      assert.deepInclude(uncommitted, { _tag: "WouldOverwrite", paths: ["a.txt"] })
      gitIn(repository, "commit", "--all", "--quiet", "--message", "one")
      const committed = yield* Effect.flip(worktrees.apply("two"))
      assert.deepInclude(committed.reason, { _tag: "Conflicting", paths: ["a.txt"] })
      assert.strictEqual(
        committed.message,
        'Nothing was applied: "a.txt" was changed in the last commits, too, and the changes do not fit'
      )
      assert.strictEqual(statusOf(repository), "")
      assert.strictEqual(textOf(repository, "a.txt"), "1\n")
      assert.include((yield* worktrees.changes("two", { patch: true })).patch, "+2")
    }).pipe(Effect.scoped)
  )

  it.live("are applied again after more work, over what was applied before, and not over what the person changed", () =>
    Effect.gen(function* () {
      const { run, repository, worktrees } = yield* workshop((directory, { prompt = "" }) => {
        put(directory, { "a.txt": `${prompt}\n`, "sub/new.txt": `${prompt}\n` })
        if (prompt === "3") rmSync(join(directory, "sub/new.txt"))
      })
      yield* run({ conversation: "fix", prompt: "1", worktree: true })
      yield* worktrees.apply("fix")
      yield* run({ conversation: "fix", prompt: "2" })
      yield* worktrees.apply("fix")
      assert.strictEqual(textOf(repository, "a.txt"), "2\n")
      put(repository, { "a.txt": "mine\n" })
      yield* run({ conversation: "fix", prompt: "3" })
      assert.deepInclude((yield* Effect.flip(worktrees.apply("fix"))).reason, {
        _tag: "WouldOverwrite",
        paths: ["a.txt"]
      })
      assert.strictEqual(textOf(repository, "sub/new.txt"), "2\n")
      put(repository, { "a.txt": "2\n" })
      assert.deepStrictEqual((yield* worktrees.apply("fix")).map(({ path }) => path).toSorted(), [
        "a.txt",
        "sub/new.txt"
      ])
      assert.strictEqual(statusOf(repository), " M a.txt\n")
      gitIn(repository, "commit", "--all", "--quiet", "--message", "three")
      yield* run({ conversation: "fix", prompt: "4" })
      yield* worktrees.apply("fix")
      assert.strictEqual(statusOf(repository), " M a.txt\n?? sub/new.txt\n")
      gitIn(repository, "checkout", "--quiet", "a.txt")
      assert.deepStrictEqual(
        (yield* worktrees.apply("fix")).map(({ path }) => path),
        ["a.txt"]
      )
    }).pipe(Effect.scoped)
  )

  it.live("are not acted on if they are no longer those that were seen; a text that is not UTF-8 has no patch", () =>
    Effect.gen(function* () {
      const { run, repository, worktrees } = yield* workshop(byPrompt)
      yield* run({ conversation: "fix", prompt: "one", worktree: true })
      const first = yield* worktrees.changes("fix")
      yield* run({ conversation: "fix", prompt: "two" })
      const expected = first.commit
      const acts: ReadonlyArray<(name: string, options: object) => Effect.Effect<unknown, WorktreeError>> = [
        worktrees.apply,
        worktrees.commit,
        worktrees.discard
      ]
      for (const act of acts) {
        assert.deepInclude((yield* Effect.flip(act("fix", { expected }))).reason, { _tag: "ChangedSince" })
      }
      assert.strictEqual(statusOf(repository), "")
      const now = yield* worktrees.changes("fix")
      writeFileSync(join(now.worktree.path, "latin1.txt"), Buffer.from("f\xfcr\n", "latin1"))
      const { patch, commit, files } = yield* worktrees.changes("fix", { patch: true })
      assert.isUndefined(patch)
      assert.strictEqual(files.length, 3)
      yield* worktrees.apply("fix", { expected: commit })
      assert.strictEqual(readFileSync(join(repository, "latin1.txt"), "latin1"), "f\xfcr\n")
    }).pipe(Effect.scoped)
  )

  it.live("are committed on its branch, and only there", () =>
    Effect.gen(function* () {
      const { run, repository, worktrees } = yield* workshop(byPrompt)
      yield* run({ conversation: "fix", prompt: "one", worktree: true })
      const commit = yield* worktrees.commit("fix", { message: "Adds one\n\nBecause of two." })
      assert.strictEqual(
        gitIn(repository, "log", "-1", "--format=%B", "reins/fix").trim(),
        "Adds one\n\nBecause of two."
      )
      assert.strictEqual(gitIn(repository, "rev-parse", "reins/fix").trim(), commit)
      const [tree] = yield* worktrees.list
      assert.strictEqual(statusOf(tree?.path ?? ""), "")
      assert.isUndefined(yield* worktrees.commit("fix"))
      assert.strictEqual((yield* worktrees.changes("fix")).commits, 1)
      gitIn(repository, "merge", "--quiet", "reins/fix")
      assert.deepInclude(yield* worktrees.changes("fix"), { files: [], commits: 0 })
      assert.strictEqual(yield* worktrees.remove("fix"), "removed")
      assert.strictEqual(gitIn(repository, "branch", "--list", "reins/*"), "")
    }).pipe(Effect.scoped)
  )

  it.live("are not committed while its agent has checked out something else", () =>
    Effect.gen(function* () {
      const { run, worktrees } = yield* workshop((directory) => gitIn(directory, "switch", "--quiet", "-c", "own"))
      yield* run({ conversation: "fix", prompt: "one", worktree: true })
      assert.match(
        (yield* Effect.flip(worktrees.commit("fix"))).message,
        /has checked out "own" instead of reins\/fix: git -C .* switch/
      )
    }).pipe(Effect.scoped)
  )

  it.live("are discarded to the beginning; what was applied stays, and the discarded files last in git", () =>
    Effect.gen(function* () {
      const { run, repository, worktrees } = yield* workshop(byPrompt)
      yield* run({ conversation: "fix", prompt: "one", worktree: true })
      yield* worktrees.apply("fix")
      yield* run({ conversation: "fix", prompt: "two" })
      const [tree] = yield* worktrees.list
      put(tree?.path ?? "", { ignored: "stays" })
      const discarded = yield* worktrees.discard("fix")
      assert.deepStrictEqual(readdirSync(tree?.path ?? "").toSorted(), [
        ".git",
        ".gitignore",
        "a.txt",
        "ignored",
        "sub"
      ])
      assert.strictEqual(gitIn(repository, "show", `${discarded}:two.txt`), "two\n")
      assert.strictEqual(gitIn(repository, "rev-parse", "refs/reins/discarded/fix").trim(), discarded)
      assert.strictEqual(statusOf(repository), "?? one.txt\n")
      assert.deepStrictEqual((yield* worktrees.changes("fix")).files, [])
    }).pipe(Effect.scoped)
  )
})
