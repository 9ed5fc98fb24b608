/** One run: what the file is while it is held, and that all is as before afterwards. */
import { chownSync, lstatSync, readFileSync, statSync, symlinkSync, utimesSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Host, makeHost } from "../../../src/system/process/host.ts"
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
      const input = yield* workspace({ text, mode })
      utimesSync(input.file, 1_000_000, 1_000_000)
      const inode = inodeOf(input.file)
      const held = yield* take(input, host, mine)
      assertHas(input, mine)
      assert.strictEqual(modeOf(input.file), mode)
      assert.strictEqual(modeOf(journalOf(input)), 0o600)
      assert.strictEqual(modeOf(input.state), 0o700)
      yield* held.end
      assertAsBefore(input, text, mode)
      assert.strictEqual(inodeOf(input.file), inode)
      assert.strictEqual(statSync(input.file).mtimeMs, 1_000_000_000)
    })
  )

  // Only root may give files away.
  it.effect.skipIf(process.getuid?.() !== 0)("keeps the owner, also after an edit", () =>
    Effect.gen(function* () {
      const input = yield* workspace({ text: commented, mode: 0o640 })
      const owner = () => [statSync(input.file).uid, statSync(input.file).gid]
      chownSync(input.file, 1234, 4321)
      const held = yield* take(input, host, mine)
      assert.deepStrictEqual(owner(), [1234, 4321])
      writeFileSync(input.file, readFileSync(input.file, "utf8").replace("dark", "light"))
      yield* held.end
      assert.deepStrictEqual(owner(), [1234, 4321])
      assertAsBefore(input, commented.replace("dark", "light"), 0o640)
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
        const input = yield* workspace({ text: commented, mode: 0o640 })
        const owner = () => [statSync(input.file).uid, statSync(input.file).gid]
        chownSync(input.file, 1234, 4321)
        const held = yield* take(input, host, mine, { secret: true })
        assert.deepStrictEqual(owner(), [0, 0])
        assert.strictEqual(modeOf(input.file), 0o600)
        const taken = yield* Effect.forEach([...others.entries()], ([index, secret]) =>
          take(input, host, serverOf(`other-${index}`), { secret })
        )
        assert.deepStrictEqual(owner(), [0, 0])
        const edit = (text: string) => (isEdited ? text.replace("dark", "light") : text)
        writeFileSync(input.file, edit(readFileSync(input.file, "utf8")))
        yield* held.end
        const hasSecret = others.includes(true)
        assert.deepStrictEqual(owner(), hasSecret ? [0, 0] : [1234, 4321])
        yield* Effect.forEach(taken, ({ end }) => end)
        assert.deepStrictEqual(owner(), [1234, 4321])
        assertAsBefore(input, edit(commented), 0o640)
      })
    )
  }

  it.effect("keeps what the user has beside it", () =>
    Effect.gen(function* () {
      const input = yield* workspace({ text: commented })
      yield* take(input, host, mine)
      assert.deepStrictEqual(readSettings(input.file), {
        theme: "dark",
        servers: { own: { url: "x" }, mine: { command: "mine" } }
      })
      assert.include(readFileSync(input.file, "utf8"), "/* really */")
    })
  )

  it.effect.each([undefined, null])("makes what is missing and removes it again (%s)", (text) =>
    Effect.gen(function* () {
      const input = yield* workspace({ text })
      const held = yield* take(input, host, mine)
      assert.deepStrictEqual(readSettings(input.file), mine)
      assert.strictEqual(modeOf(input.file), 0o600)
      yield* held.end
      assertAsBefore(input)
    })
  )

  it.effect("a directory with files of others stays", () =>
    Effect.gen(function* () {
      const input = yield* workspace({ text: null })
      const held = yield* take(input, host, mine)
      writeFileSync(join(dirname(input.file), "notes.md"), "mine")
      yield* held.end
      assert.deepStrictEqual(namesBelow(input.directory), [".agent", ".agent/notes.md"])
    })
  )

  it.effect("a secret may be read by its owner alone", () =>
    Effect.gen(function* () {
      const input = yield* workspace({ text: commented, mode: 0o664 })
      const held = yield* take(input, host, mine, { secret: true })
      assert.strictEqual(modeOf(input.file), 0o600)
      yield* held.release
      assertAsBefore(input)
    })
  )

  it.effect("is given back early, once, and not again at the end", () =>
    Effect.gen(function* () {
      const input = yield* workspace({ text: commented })
      const held = yield* take(input, host, mine)
      yield* Effect.all([held.release, held.release], { concurrency: 2 })
      assertAsBefore(input)
      writeFileSync(input.file, '{"servers": {"mine": {"command": "mine"}}}')
      yield* held.release
      yield* held.end
      assert.strictEqual(readFileSync(input.file, "utf8"), '{"servers": {"mine": {"command": "mine"}}}')
    })
  )

  it.effect("a patch without members touches nothing", () =>
    Effect.gen(function* () {
      const input = yield* workspace({ text: null })
      for (const patch of [{}, { servers: {} }]) yield* take(input, host, patch)
      assert.deepStrictEqual(namesBelow(input.directory), [])
      const broken = yield* workspace({ text: "{ broken" })
      yield* take(broken, host, {})
      assertAsBefore(broken)
    })
  )

  it.effect("nothing of the lease stands beside the file", () =>
    Effect.gen(function* () {
      const input = yield* workspace({ text: commented })
      yield* take(input, host, mine)
      assert.deepStrictEqual(namesBelow(input.directory), [".agent", ".agent/settings.json"])
    })
  )

  it.effect.each(["other.json", "absolute"])("a link that stays in its directory is followed, and stays (%s)", (to) =>
    Effect.gen(function* () {
      const input = yield* workspace({ text: undefined })
      const target = join(dirname(input.file), "other.json")
      writeFileSync(target, commented)
      symlinkSync(to === "absolute" ? target : to, input.file)
      const held = yield* take(input, host, mine)
      assertHas(input, mine)
      yield* held.end
      assert.isTrue(lstatSync(input.file).isSymbolicLink())
      assert.strictEqual(readFileSync(target, "utf8"), commented)
    })
  )

  it.effect("a link to nothing leads to where the file is made", () =>
    Effect.gen(function* () {
      const input = yield* workspace({ text: undefined })
      symlinkSync("other.json", input.file)
      const held = yield* take(input, host, mine)
      assertHas(input, mine)
      yield* held.end
      assert.isTrue(lstatSync(input.file).isSymbolicLink())
      assert.deepStrictEqual(namesBelow(input.directory), [".agent", ".agent/settings.json"])
    })
  )

  it.effect("the working directory by another path is the same one", () =>
    Effect.gen(function* () {
      const input = yield* workspace({ text: commented })
      const linked = join(input.state, "link")
      symlinkSync(input.directory, linked)
      const one = yield* take(input, host, mine)
      const two = yield* take({ ...input, directory: linked }, host, serverOf("other"))
      assertHas(input, mine)
      yield* one.end
      assertHas(input, serverOf("other"))
      yield* two.end
      assertAsBefore(input)
    })
  )

  it.effect("the reaper is ready before the change, and until all is as before: the host may die in between", () =>
    Effect.gen(function* () {
      const input = yield* workspace({ text: commented })
      const before = () => readFileSync(input.file, "utf8") === commented
      const order: Array<string> = []
      const note = (what: string) => void order.push(`${what}, ${before() ? "as before" : "changed"}`)
      const own = makeHost(process.platform)
      const afterDeath = () => {
        note("ready")
        return () => note("called off")
      }
      const watched = { ...own, reaper: { ...own.reaper, afterDeath } }
      const held = yield* Effect.provideService(take(input, host, mine), Host, watched)
      assertHas(input, mine)
      yield* held.release
      assert.deepStrictEqual(order, ["ready, as before", "called off, as before"])
    })
  )
})
