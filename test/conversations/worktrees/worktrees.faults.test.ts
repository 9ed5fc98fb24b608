/** A conversation with a worktree works there alone; a person sees its changes, and takes or leaves them. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { gitIn, put, textOf } from "../../kit/repository.ts"
import { byPrompt, statusOf, type Work, workshop } from "./kit.ts"

const writing =
  (files: Readonly<Record<string, string>>): Work =>
  (directory) =>
    put(directory, files)

const indexOf = (repository: string) => readFileSync(join(repository, ".git/index")).toString("hex")

describe("a conversation with a worktree", () => {
  it.live("works on a branch of its own, and its changes are applied, once", () =>
    Effect.gen(function* () {
      const shop = yield* workshop(writing({ "a.txt": "changed\n", "sub/new.txt": "new\n" }))
      const { repository, worktrees, agent } = shop
      // Written again as it was: a look at the status would note its new time in the index.
      utimesSync(join(repository, "sub/b.txt"), new Date(), new Date(1_000))
      const index = indexOf(repository)
      yield* shop.run({ conversation: "fix-42", prompt: "x", worktree: true })
      assert.strictEqual(statusOf(repository), "")
      const [tree] = yield* worktrees.list
      assert.strictEqual(tree?.branch, "reins/fix-42")
      assert.strictEqual(tree?.repository, repository)
      assert.strictEqual(agent.calls[0]?.params.workingDirectory, tree?.path)
      assert.deepStrictEqual(agent.calls[0]?.params.account, { project: repository })
      const { files, commits, patch } = yield* worktrees.changes("fix-42", { patch: true })
      assert.deepStrictEqual(files, [
        { path: "a.txt", status: "changed", added: 1, deleted: 1 },
        { path: "sub/new.txt", status: "added", added: 1, deleted: 0 }
      ])
      assert.strictEqual(commits, 0)
      assert.include(patch, "+changed")
      assert.strictEqual((yield* worktrees.apply("fix-42")).length, 2)
      assert.strictEqual(statusOf(repository), " M a.txt\n?? sub/new.txt\n")
      assert.strictEqual(textOf(repository, "a.txt"), "changed\n")
      assert.strictEqual(indexOf(repository), index)
      assert.isTrue((yield* worktrees.changes("fix-42")).isApplied)
      assert.deepStrictEqual(yield* worktrees.apply("fix-42"), [])
      gitIn(repository, "add", "--all")
      gitIn(repository, "commit", "--quiet", "--message", "taken")
      assert.deepStrictEqual((yield* worktrees.changes("fix-42")).files, [])
    }).pipe(Effect.scoped)
  )

  it.live("goes on there without being asked again, also in a part of the repository", () =>
    Effect.gen(function* () {
      const { run, repository, agent, worktrees } = yield* workshop(byPrompt)
      yield* run({
        conversation: ["chat", "1"],
        prompt: "one",
        worktree: true,
        workingDirectory: join(repository, "sub")
      })
      yield* run({ conversation: ["chat", "1"], prompt: "two", workingDirectory: undefined })
      const [tree] = yield* worktrees.list
      const directory = join(tree?.path ?? "", "sub")
      assert.deepStrictEqual(
        agent.calls.map(({ params }) => params.workingDirectory),
        [directory, directory]
      )
      assert.match(tree?.name ?? "", /^chat-1--[0-9a-f]{8}$/)
      yield* run({ conversation: ["chat", "1"], prompt: "three", worktree: false })
      assert.strictEqual(statusOf(repository), "?? three.txt\n")
    }).pipe(Effect.scoped)
  )

  it.live("is restored with its files when it was removed by hand", () =>
    Effect.gen(function* () {
      const { run, events, worktrees, repository } = yield* workshop(byPrompt)
      yield* run({ conversation: "fix", prompt: "one", worktree: true })
      const [tree] = yield* worktrees.list
      rmSync(tree?.path ?? "", { recursive: true })
      assert.deepInclude((yield* worktrees.leftovers)[0], { kind: "missing", name: "fix" })
      assert.strictEqual((yield* worktrees.changes("fix")).files[0]?.path, "one.txt")
      const notices = (yield* events({ conversation: "fix", prompt: "two" })).filter(({ type }) => type === "notice")
      assert.match(JSON.stringify(notices), /The files of the worktree fix were missing, and are restored/)
      assert.deepStrictEqual(readdirSync(tree?.path ?? "").toSorted(), [
        ".git",
        ".gitignore",
        "a.txt",
        "one.txt",
        "sub",
        "two.txt"
      ])
      rmSync(tree?.path ?? "", { recursive: true })
      gitIn(repository, "worktree", "prune")
      gitIn(repository, "branch", "-D", "reins/fix")
      yield* run({ conversation: "fix", prompt: "three" })
      assert.deepStrictEqual(
        (yield* worktrees.changes("fix")).files.map(({ path }) => path),
        ["one.txt", "three.txt", "two.txt"]
      )
    }).pipe(Effect.scoped)
  )

  it.live("leaves the disk when it is archived; its next turn has its changes again", () =>
    Effect.gen(function* () {
      const { run, worktrees, history, repository } = yield* workshop(byPrompt)
      yield* run({ conversation: "fix", prompt: "one", worktree: true })
      const [tree] = yield* worktrees.list
      yield* history.archive({ conversation: "fix" })
      assert.isFalse(existsSync(tree?.path ?? ""))
      assert.strictEqual(gitIn(repository, "worktree", "list", "--porcelain").match(/^worktree/gm)?.length, 1)
      assert.strictEqual((yield* worktrees.list)[0]?.state, "stored")
      assert.deepStrictEqual(
        (yield* worktrees.apply("fix")).map(({ path }) => path),
        ["one.txt"]
      )
      yield* run({ conversation: "fix", prompt: "two" })
      assert.strictEqual(textOf(tree?.path ?? "", "one.txt"), "one\n")
      assert.strictEqual(yield* worktrees.remove("fix", { discard: true }), "removed")
      assert.deepStrictEqual(yield* worktrees.list, [])
      assert.strictEqual(gitIn(repository, "show", "refs/reins/discarded/fix:two.txt"), "two\n")
    }).pipe(Effect.scoped)
  )

  it.live("is forked with all files of the other", () =>
    Effect.gen(function* () {
      const { run, worktrees, history, agent } = yield* workshop(byPrompt)
      yield* run({ conversation: "one", prompt: "first", worktree: true })
      yield* history.fork({ conversation: "one" }, { conversation: "two" })
      yield* run({ conversation: "two", prompt: "second", workingDirectory: undefined })
      const trees = yield* worktrees.list
      assert.deepStrictEqual(trees.map(({ name }) => name).toSorted(), ["one", "two"])
      assert.strictEqual(agent.calls[1]?.params.forkSession, true)
      assert.deepStrictEqual(
        (yield* worktrees.changes("two")).files.map(({ path }) => path),
        ["first.txt", "second.txt"]
      )
      assert.deepStrictEqual(
        (yield* worktrees.changes("one")).files.map(({ path }) => path),
        ["first.txt"]
      )
    }).pipe(Effect.scoped)
  )
})

describe("a session that is bound to its directory", () => {
  it.live("gets a worktree only anew; the refused turn changes nothing", () =>
    Effect.gen(function* () {
      const { run, worktrees, repository, agent } = yield* workshop(byPrompt, { isBoundToDirectory: true })
      yield* run({ conversation: "fix", prompt: "one" })
      const { message, reason } = yield* Effect.flip(run({ conversation: "fix", prompt: "two", worktree: true }))
      assert.strictEqual(reason._tag, "InvalidParams")
      assert.include(message, `can go on only in ${JSON.stringify(repository)}: begin anew in a worktree with fresh`)
      assert.deepStrictEqual(yield* worktrees.list, [])
      assert.strictEqual(gitIn(repository, "for-each-ref", "refs/reins", "refs/heads/reins"), "")
      yield* run({ conversation: "fix", prompt: "three" })
      assert.strictEqual(statusOf(repository), "?? one.txt\n?? three.txt\n")
      yield* run({ conversation: "fix", prompt: "four", worktree: true, fresh: true })
      yield* run({ conversation: "fix", prompt: "five" })
      assert.deepStrictEqual(
        (yield* worktrees.changes("fix")).files.map(({ path }) => path),
        ["five.txt", "four.txt"]
      )
      assert.strictEqual(agent.calls.at(-1)?.params.workingDirectory, (yield* worktrees.list)[0]?.path)
    }).pipe(Effect.scoped)
  )

  it.live("goes on in a new worktree at the place of its removed one", () =>
    Effect.gen(function* () {
      const { run, worktrees, repository, agent } = yield* workshop(byPrompt, { isBoundToDirectory: true })
      const inPart = { conversation: "fix", worktree: true, workingDirectory: join(repository, "sub") }
      yield* run({ ...inPart, prompt: "one" })
      assert.strictEqual(yield* worktrees.remove("fix", { discard: true }), "removed")
      yield* run({ ...inPart, prompt: "two" })
      const [first, second] = agent.calls.map(({ params }) => params.workingDirectory)
      assert.strictEqual(first, second)
      assert.deepStrictEqual(
        (yield* worktrees.changes("fix")).files.map(({ path }) => path),
        ["sub/two.txt"]
      )
    }).pipe(Effect.scoped)
  )
})

describe("a worktree is prepared by", () => {
  it.live("copies of ignored files, and its setup", () =>
    Effect.gen(function* () {
      const { run, repository, worktrees } = yield* workshop(byPrompt)
      put(repository, { ignored: "SECRET=1\n" })
      const worktree = { copy: ["ignored", "missing/ignored"], setup: "cat ignored > setup.txt" }
      yield* run({ conversation: "fix", prompt: "one", worktree })
      assert.deepStrictEqual(
        (yield* worktrees.changes("fix")).files.map(({ path }) => path),
        ["one.txt", "setup.txt"]
      )
      assert.strictEqual(textOf((yield* worktrees.list)[0]?.path ?? "", "setup.txt"), "SECRET=1\n")
    }).pipe(Effect.scoped)
  )

  const refusals: ReadonlyArray<readonly [string, object, RegExp]> = [
    [
      "a file that git does not ignore",
      { copy: ["a.txt"] },
      /copy: "a.txt" is not ignored by git, so it would become a part/
    ],
    ["a file outside", { copy: ["../ignored"] }, /worktree.copy.0: Expected a path below the directory/],
    ["a file that only this directory ignores", { copy: ["mine"] }, /copy: "mine" is not ignored by git/],
    ["an absolute file", { copy: ["/etc/passwd"] }, /a path below the directory/],
    ["a setup that fails", { setup: "echo 'error: no' >&2; exit 3" }, /setup ended with 3: error: no. Correct it/],
    ["a setup that hangs", { setup: "sleep 60", setupTimeout: 50 }, /setup gave no answer within 50ms/],
    ["a size", { maxMegabytes: 0 }, /worktree.maxMegabytes/]
  ]
  it.live.each(refusals)("no turn with %s, and nothing is left", ([_, worktree, problem]) =>
    Effect.gen(function* () {
      const { run, repository, worktrees, state, agent } = yield* workshop(byPrompt)
      put(repository, { ".gitignore": "mine\n", mine: "x" })
      const { message } = yield* Effect.flip(run({ conversation: "fix", prompt: "one", worktree }))
      assert.match(message, problem)
      assert.deepStrictEqual(agent.calls, [])
      assert.deepStrictEqual(yield* worktrees.list, [])
      assert.strictEqual(gitIn(repository, "for-each-ref", "refs/reins", "refs/heads/reins"), "")
      assert.deepStrictEqual(
        existsSync(join(state, "reins/worktrees")) ? readdirSync(join(state, "reins/worktrees")) : [],
        []
      )
      yield* run({ conversation: "fix", prompt: "one", worktree: true })
    }).pipe(Effect.scoped)
  )
})

describe("a worktree is refused for", () => {
  it.live("a run without a conversation, a branch that exists, too many, no repository", () =>
    Effect.gen(function* () {
      const { run, repository, state } = yield* workshop(byPrompt)
      const refused = (params: object) =>
        Effect.map(Effect.flip(run({ prompt: "x", worktree: true, ...params })), ({ message }) => message)
      assert.match(yield* refused({}), /worktree: is for a conversation: name one/)
      gitIn(repository, "branch", "reins/fix")
      assert.match(
        yield* refused({ conversation: "fix" }),
        /the branch reins\/fix exists already.*git branch -m reins\/fix OTHER/
      )
      yield* run({ conversation: "one", prompt: "x", worktree: true })
      assert.match(
        yield* refused({ conversation: "two", worktree: { maxWorktrees: 1 } }),
        /there are 1 worktrees, as many as maxWorktrees allows: remove one \(reins worktrees remove one\)/
      )
      mkdirSync(join(state, "plain"))
      assert.match(
        yield* refused({ conversation: "three", workingDirectory: join(state, "plain") }),
        /is not in a git repository/
      )
      writeFileSync(join(repository, "big"), Buffer.alloc(1_100_000))
      gitIn(repository, "add", "big")
      gitIn(repository, "commit", "--quiet", "--message", "big")
      assert.match(
        yield* refused({ conversation: "four", worktree: { maxMegabytes: 1 } }),
        /its files have 2 MB, more than the 1 MB/
      )
    }).pipe(Effect.scoped)
  )
})
