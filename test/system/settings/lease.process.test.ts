/** One run: what the file is while it is held, and that all is as before afterwards. */
import { chownSync, lstatSync, readFileSync, statSync, symlinkSync, utimesSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { modeOf } from "../../kit/files.ts"
import {
  assertAsBefore,
  assertHas,
  inodeOf,
  journalOf,
  makeProcesses,
  namesBelow,
  readSettings,
  serverOf,
  take,
  workspace
} from "./workspace.ts"

const commented = '// mine\n{\n  "theme": "dark", /* really */\n  "servers": { "own": { "url": "x" } }\n}\n'
const mine = serverOf("mine")
const host = makeProcesses().start()

layer(Layer.empty)("a lease of a settings file", (it) => {
  it.effect.each([
    ["with comments", commented, 0o644],
    ["without a section", '{"a":1}', 0o640],
    ["empty", "{}", 0o600],
    ["that may not be written", "{\r\n}\r\n", 0o444],
    ["of which others may do all", '{"servers":{"mine":{"url":"mine too"}}}', 0o666]
  ] as const)("of a file %s", ([, text, mode]) =>
    Effect.gen(function* () {
      const given = yield* workspace({ text, mode })
      utimesSync(given.file, 1_000_000, 1_000_000)
      const inode = inodeOf(given.file)
      const held = yield* take(given, host, mine)
      assertHas(given, mine)
      assert.strictEqual(modeOf(given.file), mode)
      assert.strictEqual(modeOf(journalOf(given)), 0o600)
      assert.strictEqual(modeOf(given.state), 0o700)
      yield* held.end
      assertAsBefore(given, text, mode)
      assert.strictEqual(inodeOf(given.file), inode)
      assert.strictEqual(statSync(given.file).mtimeMs, 1_000_000_000)
    })
  )

  // Only root may give files away.
  it.effect.skipIf(process.getuid?.() !== 0)("keeps the owner, also after an edit", () =>
    Effect.gen(function* () {
      const given = yield* workspace({ text: commented, mode: 0o640 })
      const owner = () => [statSync(given.file).uid, statSync(given.file).gid]
      chownSync(given.file, 1234, 4321)
      const held = yield* take(given, host, mine)
      assert.deepStrictEqual(owner(), [1234, 4321])
      writeFileSync(given.file, readFileSync(given.file, "utf8").replace("dark", "light"))
      yield* held.end
      assert.deepStrictEqual(owner(), [1234, 4321])
      assertAsBefore(given, commented.replace("dark", "light"), 0o640)
    })
  )

  const secrets: ReadonlyArray<readonly [name: string, isEdited: boolean, others: ReadonlyArray<boolean>]> = [
    ["alone", false, []],
    ["with an edit", true, []],
    ["with an edit and another run", true, [false]],
    ["with an edit and other runs, one of them with a secret", true, [true, false]]
  ]
  for (const [name, isEdited, others] of secrets) {
    it.effect.skipIf(process.getuid?.() !== 0)(`gives no secret to another owner, who has the file back: ${name}`, () =>
      Effect.gen(function* () {
        const given = yield* workspace({ text: commented, mode: 0o640 })
        const owner = () => [statSync(given.file).uid, statSync(given.file).gid]
        chownSync(given.file, 1234, 4321)
        const held = yield* take(given, host, mine, { secret: true })
        assert.deepStrictEqual(owner(), [0, 0])
        assert.strictEqual(modeOf(given.file), 0o600)
        const taken = yield* Effect.forEach([...others.entries()], ([index, secret]) =>
          take(given, host, serverOf(`other-${index}`), { secret })
        )
        assert.deepStrictEqual(owner(), [0, 0])
        const edit = (text: string) => (isEdited ? text.replace("dark", "light") : text)
        writeFileSync(given.file, edit(readFileSync(given.file, "utf8")))
        yield* held.end
        const hasSecret = others.includes(true)
        assert.deepStrictEqual(owner(), hasSecret ? [0, 0] : [1234, 4321])
        yield* Effect.forEach(taken, ({ end }) => end)
        assert.deepStrictEqual(owner(), [1234, 4321])
        assertAsBefore(given, edit(commented), 0o640)
      })
    )
  }

  it.effect("keeps what the user has beside it", () =>
    Effect.gen(function* () {
      const given = yield* workspace({ text: commented })
      yield* take(given, host, mine)
      assert.deepStrictEqual(readSettings(given.file), {
        theme: "dark",
        servers: { own: { url: "x" }, mine: { command: "mine" } }
      })
      assert.include(readFileSync(given.file, "utf8"), "/* really */")
    })
  )

  it.effect.each([undefined, null])("makes what is missing and removes it again (%s)", (text) =>
    Effect.gen(function* () {
      const given = yield* workspace({ text })
      const held = yield* take(given, host, mine)
      assert.deepStrictEqual(readSettings(given.file), mine)
      assert.strictEqual(modeOf(given.file), 0o600)
      yield* held.end
      assertAsBefore(given)
    })
  )

  it.effect("a directory that somebody has put something into stays", () =>
    Effect.gen(function* () {
      const given = yield* workspace({ text: null })
      const held = yield* take(given, host, mine)
      writeFileSync(join(dirname(given.file), "notes.md"), "mine")
      yield* held.end
      assert.deepStrictEqual(namesBelow(given.directory), [".agent", ".agent/notes.md"])
    })
  )

  it.effect("a secret may be read by its owner alone", () =>
    Effect.gen(function* () {
      const given = yield* workspace({ text: commented, mode: 0o664 })
      const held = yield* take(given, host, mine, { secret: true })
      assert.strictEqual(modeOf(given.file), 0o600)
      yield* held.release
      assertAsBefore(given)
    })
  )

  it.effect("is given back early, once, and not again at the end", () =>
    Effect.gen(function* () {
      const given = yield* workspace({ text: commented })
      const held = yield* take(given, host, mine)
      yield* Effect.all([held.release, held.release], { concurrency: 2 })
      assertAsBefore(given)
      writeFileSync(given.file, '{"servers": {"mine": {"command": "mine"}}}')
      yield* held.release
      yield* held.end
      assert.strictEqual(readFileSync(given.file, "utf8"), '{"servers": {"mine": {"command": "mine"}}}')
    })
  )

  it.effect("a patch without members touches nothing", () =>
    Effect.gen(function* () {
      const given = yield* workspace({ text: null })
      for (const patch of [{}, { servers: {} }]) yield* take(given, host, patch)
      assert.deepStrictEqual(namesBelow(given.directory), [])
      const broken = yield* workspace({ text: "{ broken" })
      yield* take(broken, host, {})
      assertAsBefore(broken)
    })
  )

  it.effect("nothing of the lease stands beside the file", () =>
    Effect.gen(function* () {
      const given = yield* workspace({ text: commented })
      yield* take(given, host, mine)
      assert.deepStrictEqual(namesBelow(given.directory), [".agent", ".agent/settings.json"])
    })
  )

  it.effect.each(["other.json", "absolute"])("a link that stays in its directory is followed, and stays (%s)", (to) =>
    Effect.gen(function* () {
      const given = yield* workspace({ text: undefined })
      const target = join(dirname(given.file), "other.json")
      writeFileSync(target, commented)
      symlinkSync(to === "absolute" ? target : to, given.file)
      const held = yield* take(given, host, mine)
      assertHas(given, mine)
      yield* held.end
      assert.isTrue(lstatSync(given.file).isSymbolicLink())
      assert.strictEqual(readFileSync(target, "utf8"), commented)
    })
  )

  it.effect("a link to nothing leads to where the file is made", () =>
    Effect.gen(function* () {
      const given = yield* workspace({ text: undefined })
      symlinkSync("other.json", given.file)
      const held = yield* take(given, host, mine)
      assertHas(given, mine)
      yield* held.end
      assert.isTrue(lstatSync(given.file).isSymbolicLink())
      assert.deepStrictEqual(namesBelow(given.directory), [".agent", ".agent/settings.json"])
    })
  )

  it.effect("the working directory by another path is the same one", () =>
    Effect.gen(function* () {
      const given = yield* workspace({ text: commented })
      const linked = join(given.state, "link")
      symlinkSync(given.directory, linked)
      const one = yield* take(given, host, mine)
      const two = yield* take({ ...given, directory: linked }, host, serverOf("other"))
      assertHas(given, mine)
      yield* one.end
      assertHas(given, serverOf("other"))
      yield* two.end
      assertAsBefore(given)
    })
  )
})
