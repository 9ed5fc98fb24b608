/** An agent that writes into the data of the repository, or another user of the store, gains nothing by it. */
import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import {
  digestOf,
  madeFor,
  type Plan,
  stagingOf,
  type Working,
  writePlan
} from "../../../src/system/worktrees/applyPlan.ts"
import { put, textOf } from "../../kit/repository.ts"
import { makeDirectory } from "../../kit/temporary.ts"
import { type Work, workshop } from "./kit.ts"

const changing: Work = (directory) => put(directory, { "a.txt": "changed\n", "new.txt": "new\n" })

/** A repository whose worktree has changes. */
const begun = Effect.gen(function* () {
  const shop = yield* workshop(changing)
  yield* shop.run({ conversation: "fix", prompt: "x", worktree: true })
  const data = join(shop.repository, ".git/worktrees")
  return { ...shop, outside: yield* makeDirectory, data: join(data, readdirSync(data)[0] ?? "") }
})

const workingOf = ({ repository, state }: { readonly repository: string; readonly state: string }): Working => ({
  top: repository,
  gitDirectory: join(repository, ".git"),
  plans: join(state, "reins/applying")
})

const stageFile = (working: Working, path: string, text: string) => {
  mkdirSync(stagingOf(working), { recursive: true })
  put(join(stagingOf(working), "files"), { [path]: text })
}

describe("a plan to apply changes", () => {
  it.live("that an agent has put into the data of the repository is not carried out", () =>
    Effect.gen(function* () {
      const shop = yield* begun
      const { repository, worktrees, outside } = shop
      put(outside, { "mine.txt": "mine\n" })
      const path = `../${outside.split("/").at(-1)}/mine.txt`
      const before = yield* Effect.promise(() => digestOf(Buffer.from(join(outside, "mine.txt"))))
      const planted = JSON.stringify([{ path, before, after: null, isDeleted: true }])
      put(repository, { ".git/reins-apply/plan.json": planted })
      yield* worktrees.clean
      yield* worktrees.apply("fix")
      assert.strictEqual(textOf(outside, "mine.txt"), "mine\n")
      assert.isFalse(existsSync(join(repository, ".git/reins-apply")))
    }).pipe(Effect.scoped)
  )

  it.live("of a killed host is finished: files as they were planned, and those alone", () =>
    Effect.gen(function* () {
      const shop = yield* begun
      const { repository, worktrees, outside } = shop
      const working = workingOf(shop)
      mkdirSync(working.plans, { recursive: true, mode: 0o700 })
      put(repository, { "sub/mine.txt": "mine\n" })
      put(outside, { "mine.txt": "mine\n" })
      const digest = (path: string) => Effect.promise(() => digestOf(Buffer.from(join(repository, path))))
      for (const path of ["a.txt", "new.txt", "sub/mine.txt", "swapped.txt", ".git/config2"])
        stageFile(working, path, "planned\n")
      const after = yield* Effect.promise(() => digestOf(madeFor(working, "a.txt")))
      stageFile(working, "swapped.txt", "by the agent\n")
      const plan: Plan = [
        { path: "sub/b.txt", before: yield* digest("sub/b.txt"), after: null },
        { path: `../${outside.split("/").at(-1)}/mine.txt`, before: yield* digest("sub/mine.txt"), after: null },
        { path: "a.txt", before: yield* digest("a.txt"), after },
        { path: "new.txt", before: null, after },
        { path: "sub/mine.txt", before: null, after },
        { path: "swapped.txt", before: null, after },
        { path: ".git/config2", before: null, after }
      ]
      yield* Effect.promise(() => writePlan(working, plan))
      assert.deepInclude((yield* worktrees.leftovers)[0], { kind: "half_applied", path: repository })
      assert.lengthOf(yield* worktrees.clean, 1)
      assert.deepStrictEqual(yield* worktrees.leftovers, [])
      assert.strictEqual(textOf(repository, "a.txt"), "planned\n")
      assert.strictEqual(textOf(repository, "new.txt"), "planned\n")
      assert.isFalse(existsSync(join(repository, "sub/b.txt")))
      assert.strictEqual(textOf(repository, "sub/mine.txt"), "mine\n")
      assert.strictEqual(textOf(outside, "mine.txt"), "mine\n")
      assert.isFalse(existsSync(join(repository, "swapped.txt")))
      assert.isFalse(existsSync(join(repository, ".git/config2")))
    }).pipe(Effect.scoped)
  )
})

describe("the index of a worktree", () => {
  it.live("is not written through a link", () =>
    Effect.gen(function* () {
      const { worktrees, outside, data } = yield* begun
      put(outside, { "mine.txt": "mine\n" })
      rmSync(join(data, "reins-index"), { force: true })
      symlinkSync(join(outside, "mine.txt"), join(data, "reins-index"))
      assert.strictEqual((yield* worktrees.changes("fix")).files.length, 2)
      assert.strictEqual(textOf(outside, "mine.txt"), "mine\n")
    }).pipe(Effect.scoped)
  )

  it.live("that is a pipe is refused, and not waited for", () =>
    Effect.gen(function* () {
      const { worktrees, data } = yield* begun
      rmSync(join(data, "index"))
      execFileSync("mkfifo", [join(data, "index")])
      assert.match((yield* Effect.flip(worktrees.changes("fix"))).message, /the index cannot be copied/)
    }).pipe(Effect.scoped)
  )
})

describe("a row that another user of the store has changed", () => {
  const forged: ReadonlyArray<readonly [string, Readonly<Record<string, string>>]> = [
    ["its path", { path: "OUTSIDE" }],
    ["its base, as an option of git", { base: "--output=OUTSIDE/mine.txt" }],
    ["its name, as a path", { name: "../../mine" }]
  ]
  it.live.each(forged)("by %s removes and writes nothing", ([_, columns]) =>
    Effect.gen(function* () {
      const { worktrees, store, outside } = yield* begun
      put(outside, { "mine.txt": "mine\n" })
      for (const [column, value] of Object.entries(columns)) {
        const { sql, transact } = store
        yield* transact(sql`update worktrees set ${sql(column)} = ${value.replace("OUTSIDE", outside)}`)
      }
      for (const act of [worktrees.changes, worktrees.remove]) {
        const ended = yield* Effect.exit(act("fix") as Effect.Effect<unknown, unknown>)
        assert.strictEqual(ended._tag, "Failure")
      }
      assert.strictEqual(textOf(outside, "mine.txt"), "mine\n")
    }).pipe(Effect.scoped)
  )

  it.live("is listed no more if it cannot be one", () =>
    Effect.gen(function* () {
      const { worktrees, store } = yield* begun
      const { sql, transact } = store
      yield* transact(sql`update worktrees set applied = ${"--output=x"}`)
      assert.deepStrictEqual(yield* worktrees.list, [])
    }).pipe(Effect.scoped)
  )
})
