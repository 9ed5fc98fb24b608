/** Moves that cannot be performed: each leaves the session where it was, and nothing of it at the other home. */
import { appendFileSync, chmodSync, mkdirSync, rmSync, symlinkSync } from "node:fs"
import { dirname, join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { addSession } from "../../conversations/kit/rows.ts"
import { hasPostgres } from "../../kit/postgres.ts"
import { addClaude, askMove, blobsOf, claudeFile, filesOf, openHomes, perform, sessionOf, stateOf } from "./homes.ts"
import { claudeId, claudeLines, codexId, write } from "./kit.ts"

describe.skipIf(!hasPostgres)("a move that fails leaves the session where it was", () => {
  type Homes = Effect.Success<typeof openHomes>

  const cases: ReadonlyArray<readonly [string, RegExp, (homes: Homes) => void]> = [
    ["its files are gone", /its CLI no longer has the session/, ({ from }) => rmSync(from.folder, { recursive: true })],
    [
      "its file is a link that leads out",
      /its CLI no longer has the session/,
      ({ from, work }) => {
        const file = claudeFile(from, work)
        rmSync(file)
        write(join(work, "secret"), claudeLines(work, "one"))
        symlinkSync(join(work, "secret"), file)
      }
    ],
    [
      "it is too large",
      /larger than 64 MiB/,
      ({ from, work }) => appendFileSync(claudeFile(from, work), " ".repeat(64 * 1024 * 1024))
    ],
    [
      "it has too many files",
      /more than 64 files/,
      ({ from, work }) => {
        const folder = dirname(claudeFile(from, work))
        for (let count = 0; count < 64; count++)
          write(join(folder, claudeId, "subagents", `agent-${count}.jsonl`), "{}")
      }
    ],
    [
      "the other home has no such directory",
      /no such working directory/,
      ({ work }) => rmSync(work, { recursive: true })
    ],
    [
      "the other home has other content there",
      /a session of this id with other content/,
      ({ to, work }) => write(claudeFile(to, work), claudeLines(work, "other"))
    ],
    [
      "the other home has a later state of it",
      /a session of this id with other content/,
      ({ to, work }) => write(claudeFile(to, work), claudeLines(work, "one", "two"))
    ],
    [
      "the second of its files cannot be placed",
      /something else where a file/,
      ({ to, work }) =>
        mkdirSync(join(dirname(claudeFile(to, work)), claudeId, "tool-results/long.txt"), { recursive: true })
    ],
    [
      "the folder of the other home leads out of it",
      /a link that leads out/,
      ({ to, work }) => {
        mkdirSync(join(to.folder, ".claude"))
        symlinkSync(work, join(to.folder, ".claude/projects"))
      }
    ],
    ["the other home knows a session of this id", /knows a session of this id already/, () => undefined]
  ]

  it.live.each(cases)("%s", ([name, problem, damage]) =>
    Effect.gen(function* () {
      const homes = yield* openHomes
      const { from, to, work } = homes
      yield* addClaude(from, work, "one")
      if (name === "the other home knows a session of this id") {
        yield* addSession(to.store, { key: "key-2", session_id: claudeId })
      }
      damage(homes)
      const before = filesOf(to).filter((file) => !file.endsWith("/"))
      yield* askMove(from, to, work)
      yield* perform(from)
      yield* perform(to)
      const { state, problem: reported, isTidy } = yield* stateOf(from)
      assert.match(reported ?? "", problem)
      assert.deepStrictEqual({ state, isTidy }, { state: "failed", isTidy: true })
      assert.notInclude(reported ?? "", work)
      assert.strictEqual((yield* sessionOf(from))?.home, from.store.home)
      assert.strictEqual(yield* blobsOf(from), 0)
      assert.deepStrictEqual(
        filesOf(to).filter((file) => !file.endsWith("/")),
        before
      )
    }).pipe(Effect.scoped)
  )

  it.live("that was damaged in the store, and another is possible afterwards", () =>
    Effect.gen(function* () {
      const { from, to, work } = yield* openHomes
      yield* addClaude(from, work, "one")
      yield* askMove(from, to, work)
      yield* perform(from)
      const { sql, transact } = from.store
      yield* transact(sql`update blobs set bytes = substring(bytes from 2)`)
      yield* perform(to)
      assert.match((yield* stateOf(from)).problem ?? "", /damaged/)
      assert.deepStrictEqual(filesOf(to), [])
      assert.isTrue(yield* askMove(from, to, work, "again"))
    }).pipe(Effect.scoped)
  )

  it.live("that was forgotten on its way", () =>
    Effect.gen(function* () {
      const { from, to, work } = yield* openHomes
      yield* addClaude(from, work, "one")
      yield* askMove(from, to, work)
      yield* perform(from)
      const { sql, transact, read } = from.store
      yield* transact(sql`delete from sessions`)
      yield* perform(to)
      assert.match((yield* stateOf(from)).problem ?? "", /forgotten/)
      assert.deepStrictEqual(filesOf(to), [])
      assert.strictEqual(yield* blobsOf(from), 0)
      // Its row goes with a later move.
      yield* transact(sql`update session_moves set at = 1`)
      yield* addSession(from.store, { session_id: claudeId, directory: work })
      assert.isTrue(yield* askMove(from, to, work, "another"))
      assert.deepStrictEqual(yield* read(sql`select id from session_moves`), [{ id: "another" }])
    }).pipe(Effect.scoped)
  )

  it.live("that no home has taken up for ten minutes", () =>
    Effect.gen(function* () {
      const { from, to, work } = yield* openHomes
      yield* addClaude(from, work, "one")
      yield* askMove(from, to, work)
      yield* perform(from)
      const { sql, transact } = from.store
      const age = (minutes: number) => transact(sql`update session_moves set at = ${Date.now() - minutes * 60_000}`)
      yield* age(9)
      yield* perform(from)
      assert.strictEqual((yield* sessionOf(from))?.home, `on its way to ${to.store.home}`)
      yield* age(11)
      yield* perform(from)
      assert.strictEqual((yield* sessionOf(from))?.home, from.store.home)
      assert.strictEqual((yield* stateOf(from)).problem, "the other home did not take it up")
      yield* perform(to)
      assert.deepStrictEqual(filesOf(to), [])
    }).pipe(Effect.scoped)
  )

  it.live("whose payload names a file of another session", () =>
    Effect.gen(function* () {
      const { from, to, work } = yield* openHomes
      yield* addClaude(from, work, "one")
      yield* askMove(from, to, work)
      yield* perform(from)
      const { sql, transact } = from.store
      yield* transact(sql`update session_moves set payload = replace(payload, ${claudeId}, ${codexId})`)
      yield* perform(to)
      assert.match((yield* stateOf(from)).problem ?? "", /damaged/)
      assert.deepStrictEqual(filesOf(to), [])
    }).pipe(Effect.scoped)
  )

  it.live.skipIf(process.getuid?.() === 0)("whose new home cannot be written", () =>
    Effect.gen(function* () {
      const { from, to, work } = yield* openHomes
      yield* addClaude(from, work, "one")
      mkdirSync(join(to.folder, ".claude"))
      chmodSync(join(to.folder, ".claude"), 0o500)
      yield* askMove(from, to, work)
      yield* perform(from)
      yield* perform(to)
      assert.match((yield* stateOf(from)).problem ?? "", /permission denied/)
    }).pipe(Effect.scoped)
  )
})
