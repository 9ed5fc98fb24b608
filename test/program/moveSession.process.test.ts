/** `reins sessions move` between two homes on PostgreSQL, in the process of the test. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { addClaude, openHomes, running, sessionOf } from "../cluster/move/homes.ts"
import { addSession } from "../conversations/kit/rows.ts"
import { hasPostgres } from "../kit/postgres.ts"
import { runHere } from "./programHere.ts"

describe.skipIf(!hasPostgres)("reins sessions move", () => {
  it.live("says where the session goes on, and shows the steps", () =>
    Effect.gen(function* () {
      const { from, to, work, url } = yield* openHomes
      const file = join(to.folder, "reins.toml")
      const secret = join(to.folder, "database")
      writeFileSync(secret, Redacted.value(url), { mode: 0o600 })
      writeFileSync(file, `[store]\ndatabase = { file = ${JSON.stringify(secret)} }\n`, { mode: 0o600 })
      yield* addClaude(from, work, "one")
      yield* addSession(from.store, { key: "key-g", cli: "gemini", directory: work })
      for (const home of [from, to]) yield* running(home)
      const move = (...args: ReadonlyArray<string>) =>
        Effect.promise(() => runHere(["sessions", "move", ...args, "--config", file]))
      const moved = yield* move("key-1", "--to", to.store.home)
      assert.deepInclude(moved, {
        code: 0,
        stdout: `(no title): goes on at ${to.store.home}, in ${work}\n`
      })
      assert.include(moved.stderr, `reins: ${from.store.home} packs it\n`)
      assert.strictEqual((yield* sessionOf(from))?.home, to.store.home)
      const again = yield* move("key-1", "--to", to.store.home)
      assert.deepInclude(again, {
        code: 1,
        stdout: "",
        stderr: `reins: The session is at "${to.store.home}" already\n`
      })
      const gemini = yield* move("key-g", "--to", to.store.home)
      assert.deepInclude(gemini, { code: 1, stdout: "" })
      assert.match(gemini.stderr, /Sessions of gemini cannot be moved .* begin anew there, with --fresh/)
      const relative = yield* move("key-1", "--to", from.store.home, "--cwd", "work")
      assert.deepInclude(relative, { code: 2, stdout: "" })
      assert.match(relative.stderr, /--cwd/)
      const elsewhere = yield* move("key-1", "--to", from.store.home, "--cwd", join(work, "nowhere"))
      assert.deepInclude(elsewhere, { code: 1, stdout: "" })
      assert.match(elsewhere.stderr, /no such working directory/)
    }).pipe(Effect.scoped)
  )
})
