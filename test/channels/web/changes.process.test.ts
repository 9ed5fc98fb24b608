/** The changes of a conversation over the page's own requests: who may do what, hostile names, bounds and refusals. */
import { existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Role } from "../../../src/bridge/access/AccessOptions.ts"
import { lastingStore } from "../../kit/lastingStore.ts"
import { gitIn, makeRepository, put, textOf } from "../../kit/repository.ts"
import { openPage, visitor } from "./page.ts"

const hostile = [
  '<img src=x onerror="alert(1)">.txt',
  "a\u202egnp.exe",
  "line\nbreak `x` [y](z)",
  "…/--force",
  ":(top)x"
]

/** A conversation of a person with this role that has worked once. */
const opened = Effect.fnUntraced(function* (work: (directory: string, prompt: string) => void, role: Role = "owner") {
  const repository = yield* makeRepository
  const directories: Array<string> = []
  const page = yield* openPage({
    store: yield* lastingStore,
    script: ({ prompt, workingDirectory = "" }) => {
      directories.push(workingDirectory)
      work(workingDirectory, prompt)
      return [{ type: "text", text: `did: ${prompt}` }]
    },
    bridge: {
      directories: { shop: { path: repository, worktree: true } },
      directory: "shop",
      access: { [`${role}s`]: ["you"] }
    }
  })
  const { you } = page
  yield* you.say("work")
  const events = yield* you.read()
  const ended = (count: number) =>
    events.until((rows) => rows.filter(({ row }) => row === "done").length >= count || undefined)
  yield* ended(1)
  const path = `./conversations/${you.conversation}/changes`
  return {
    ...page,
    repository,
    directories,
    ended,
    path,
    read: you.get(path),
    diff: (commit: string, name: string) =>
      you.get(`${path}?commit=${encodeURIComponent(commit)}&path=${encodeURIComponent(name)}`),
    act: (body: object) => you.post(path, body)
  }
})

describe("the changes of a conversation on the page", () => {
  it.live("are listed with hostile names as they are, shown file by file, and applied", () =>
    Effect.gen(function* () {
      const { read, diff, act, repository } = yield* opened((directory) =>
        put(directory, { ...Object.fromEntries(hostile.map((name) => [name, "x\n"])), "a.txt": "one\nmore\n" })
      )
      const list = yield* read
      assert.strictEqual(list.status, 200)
      assert.sameMembers(
        list.files.map(({ path }: { readonly path: string }) => path),
        [...hostile, "a.txt"]
      )
      assert.deepInclude(list, { count: 6, added: 6, deleted: 0, mayAct: true, commits: 0 })
      assert.include(list.words.apply, "write these 6 files into")
      for (const name of hostile) {
        assert.deepInclude(yield* diff(list.commit, name), { status: 200, isText: true, text: "@@ -0,0 +1 @@\n+x\n" })
      }
      assert.deepInclude(yield* diff(list.commit, "a.txt"), { text: "@@ -1 +1,2 @@\n one\n+more\n" })
      const { status, text } = yield* act({ do: "apply", commit: list.commit })
      assert.strictEqual(status, 200)
      assert.match(text, /^Applied 6 files to /)
      assert.strictEqual(textOf(repository, "a.txt"), "one\nmore\n")
      assert.isTrue(existsSync(join(repository, hostile[0] ?? "")))
      assert.deepInclude(yield* read, { count: 6, isApplied: true })
    }).pipe(Effect.scoped)
  )

  it.live(
    "are bounded: of a file's difference 200 kB, none of a file that is not text, none outside of the changes",
    () =>
      Effect.gen(function* () {
        const { read, diff } = yield* opened((directory) => {
          put(directory, { "long.txt": "line\n".repeat(60_000), "fits.txt": "line\n".repeat(20_000) })
          writeFileSync(join(directory, "bytes.bin"), Buffer.from([0, 1, 2, 0]))
        })
        const { commit } = yield* read
        assert.isUndefined((yield* diff(commit, "long.txt")).text)
        assert.isTrue((yield* diff(commit, "long.txt")).isText)
        assert.isAbove((yield* diff(commit, "fits.txt")).text.length, 100_000)
        assert.deepInclude(yield* diff(commit, "bytes.bin"), { isText: false })
        for (const name of ["sub/b.txt", "../../etc/passwd", "/etc/passwd", ".git/config", "*", ""]) {
          assert.strictEqual((yield* diff(commit, name)).status, 409, name)
        }
      }).pipe(Effect.scoped)
  )

  it.live("are committed with a message and discarded, only as they were shown", () =>
    Effect.gen(function* () {
      const { read, act, you, ended, repository, directories } = yield* opened((directory, prompt) =>
        put(directory, { "a.txt": `${prompt}\n` })
      )
      const first = yield* read
      yield* you.say("second")
      yield* ended(2)
      for (const action of ["apply", "commit", "discard"]) {
        const { status, error } = yield* act({ do: action, commit: first.commit })
        assert.strictEqual(status, 409)
        assert.match(error, /no longer those that were shown, so nothing was done/)
      }
      assert.strictEqual(textOf(repository, "a.txt"), "one\n")
      const message = "Second\n\n--amend <b>"
      assert.match((yield* act({ do: "commit", commit: (yield* read).commit, message })).text, /^Committed as /)
      const branch = gitIn(repository, "for-each-ref", "--format=%(refname:short)", "refs/heads/reins").trim()
      assert.strictEqual(gitIn(repository, "log", "-1", "--format=%B", branch).trim(), message)
      const list = yield* read
      assert.deepInclude(list, { count: 1, commits: 1 })
      assert.match((yield* act({ do: "discard", commit: list.commit })).text, /^Discarded the changes of 1 file\./)
      assert.strictEqual(textOf(directories[0] ?? "", "a.txt"), "one\n")
    }).pipe(Effect.scoped)
  )

  it.live("are refused in words, with the cure, where the person has changed the same file", () =>
    Effect.gen(function* () {
      const { read, act, repository } = yield* opened((directory) => put(directory, { "a.txt": "theirs\n" }))
      writeFileSync(join(repository, "a.txt"), "mine\n")
      const { status, error, help } = yield* act({ do: "apply", commit: (yield* read).commit })
      assert.strictEqual(status, 409)
      assert.match(error, /^Nothing was applied: "a\.txt" has changes in the working tree/)
      assert.strictEqual(help, "Commit or stash these files first.")
      assert.strictEqual(textOf(repository, "a.txt"), "mine\n")
    }).pipe(Effect.scoped)
  )

  it.live("may be looked at by users, and acted on only by admins, of the same origin, on an own conversation", () =>
    Effect.gen(function* () {
      const { read, diff, act, you, path, base, token, repository } = yield* opened(
        (directory) => put(directory, { "a.txt": "theirs\n" }),
        "user"
      )
      const list = yield* read
      assert.deepInclude(list, { count: 1, mayAct: false })
      assert.strictEqual((yield* diff(list.commit, "a.txt")).status, 200)
      for (const action of ["apply", "commit", "discard"]) {
        const { status, error } = yield* act({ do: action, commit: list.commit })
        assert.strictEqual(status, 403)
        assert.match(error, /Only admins/)
      }
      const origin = { headers: { origin: "https://elsewhere.example" } }
      assert.strictEqual((yield* you.ask(path, origin)).status, 403)
      const body = JSON.stringify({ do: "apply", commit: list.commit })
      const forged = { method: "POST", body, headers: { ...origin.headers, "content-type": "application/json" } }
      assert.strictEqual((yield* you.ask(path, forged)).status, 403)
      assert.strictEqual((yield* you.ask(path, { method: "POST", body })).status, 415)
      assert.strictEqual((yield* you.ask(path, { method: "PUT", body })).status, 405)
      assert.strictEqual((yield* visitor(base, `${token}x`).ask(path)).status, 401)
      const other = `./conversations/${crypto.randomUUID()}/changes`
      assert.strictEqual((yield* you.get(other)).status, 404)
      assert.strictEqual(textOf(repository, "a.txt"), "one\n")
    }).pipe(Effect.scoped)
  )

  it.live.each([
    {},
    { do: "apply" },
    { do: "apply", commit: "HEAD" },
    { do: "apply", commit: "--output=/tmp/x" },
    { do: "diff", commit: "a".repeat(40), path: "a.txt" },
    { do: "remove", commit: "a".repeat(40) },
    { do: "commit", commit: "a".repeat(40), message: "x".repeat(4_001) }
  ])("refuse the body %#", (body) =>
    Effect.gen(function* () {
      const { act } = yield* opened(() => {})
      assert.strictEqual((yield* act(body)).status, 400)
    }).pipe(Effect.scoped)
  )

  it.live("leave the disk with the archived conversation, and are there again with its next turn", () =>
    Effect.gen(function* () {
      const { read, you, ended, directories } = yield* opened((directory, prompt) => {
        if (prompt === "work") put(directory, { "a.txt": "theirs\n" })
      })
      const [directory = ""] = directories
      assert.isTrue(existsSync(directory))
      yield* you.post(`./conversations/${you.conversation}`, { archived: true })
      while (existsSync(directory)) yield* Effect.sleep(20)
      assert.deepInclude(yield* read, { count: 1 })
      yield* you.say("again")
      yield* ended(2)
      assert.strictEqual(textOf(directory, "a.txt"), "theirs\n")
    }).pipe(Effect.scoped)
  )
})
