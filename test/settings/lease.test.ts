/** One run: what the file is while it is held, and that all is as before afterwards. */
import { chownSync, lstatSync, readFileSync, statSync, symlinkSync, utimesSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { modeOf } from "../kit/files.ts"
import {
  assertAsBefore,
  assertHas,
  inodeOf,
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

layer(NodeServices.layer)("a lease of a settings file", (it) => {
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
      assert.strictEqual(modeOf(join(dirname(given.file), "settings.json.reins-journal")), 0o600)
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
      const held = yield* take(given, host, mine, { secret: true })
      assert.deepStrictEqual(owner(), [1234, 4321])
      writeFileSync(given.file, readFileSync(given.file, "utf8").replace("dark", "light"))
      yield* held.end
      assert.deepStrictEqual(owner(), [1234, 4321])
      assertAsBefore(given, commented.replace("dark", "light"), 0o640)
    })
  )

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
      yield* held.giveBack
      assertAsBefore(given)
    })
  )

  it.effect("is given back early, once, and not again at the end", () =>
    Effect.gen(function* () {
      const given = yield* workspace({ text: commented })
      const held = yield* take(given, host, mine)
      yield* Effect.all([held.giveBack, held.giveBack], { concurrency: 2 })
      assertAsBefore(given)
      writeFileSync(given.file, '{"servers": {"mine": {"command": "mine"}}}')
      yield* held.giveBack
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

  it.effect("a linked file is changed where it is, and stays a link", () =>
    Effect.gen(function* () {
      const target = yield* workspace({ text: commented })
      const given = yield* workspace({ text: undefined })
      symlinkSync(target.file, given.file)
      const held = yield* take(given, host, mine)
      assertHas(target, mine)
      assert.isTrue(lstatSync(given.file).isSymbolicLink())
      yield* held.end
      assert.isTrue(lstatSync(given.file).isSymbolicLink())
      assertAsBefore(target)
    })
  )

  it.effect("a link to nothing leads to where the file is made", () =>
    Effect.gen(function* () {
      const target = yield* workspace({ text: undefined })
      const given = yield* workspace({ text: undefined })
      symlinkSync(target.file, given.file)
      const held = yield* take(given, host, mine)
      assertHas(target, mine)
      yield* held.end
      assert.isTrue(lstatSync(given.file).isSymbolicLink())
      assertAsBefore(target)
    })
  )

  it.effect("two directories that link to one file meet there", () =>
    Effect.gen(function* () {
      const target = yield* workspace({ text: commented })
      const given = yield* workspace({ text: null })
      symlinkSync(dirname(target.file), dirname(given.file))
      const one = yield* take(given, host, mine)
      const two = yield* take(target, host, serverOf("other"))
      assertHas(target, mine)
      assertHas(target, serverOf("other"))
      yield* one.end
      assertHas(target, serverOf("other"))
      yield* two.end
      assertAsBefore(target)
    })
  )
})
