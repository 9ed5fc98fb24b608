/** A host that is killed while it has lent a settings file: the file is given back without anybody's doing. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { reapersOf } from "../../faults/kit/processHost.ts"
import { isAlive, until } from "../../kit/processes.ts"
import { startHolder } from "./holder.ts"
import { assertAsBefore, assertHas, serverOf, type Workspace, workspace } from "./workspace.ts"

const base = '{ // mine\n  "servers": { "own": {} },\n  "theme": "dark"\n}\n'

/** Returns when the reaper has done all that it does. */
const killed = (input: Workspace, meanwhile: () => void = () => {}, further: ReadonlyArray<string> = []) =>
  Effect.gen(function* () {
    const holder = yield* startHolder(input, "killed", ...further)
    assert.strictEqual(yield* holder.line, "held")
    assertHas(input, serverOf("killed"))
    const reapers = reapersOf(holder.child.pid ?? 0)
    assert.lengthOf(reapers, 1)
    meanwhile()
    holder.child.kill("SIGKILL")
    yield* holder.ended
    yield* until(() => !reapers.some(isAlive))
  })

describe("a host that is killed before it could give a settings file back", () => {
  it.live.each([{ text: base, mode: 0o640 }, { text: undefined }, { text: null }])(
    "leaves all as it was (%j)",
    (before) =>
      Effect.gen(function* () {
        const input = yield* workspace(before)
        yield* killed(input)
        assertAsBefore(input)
      })
  )

  it.live("leaves all as it was in every directory, also where their names are longer than an argument may be", () =>
    Effect.gen(function* () {
      const input = yield* workspace({ text: base })
      const deep = join(input.directory, ...Array.from({ length: 15 }, () => "d".repeat(250)))
      const further = Array.from({ length: 40 }, (_, index) => join(deep, String(index)))
      assert.isAbove(further.join().length, 128 * 1024)
      for (const directory of further) mkdirSync(directory, { recursive: true })
      const changed = () => further.filter((directory) => readdirSync(directory).length > 0).length
      yield* killed(input, () => assert.strictEqual(changed(), 40), further)
      assert.strictEqual(changed(), 0)
      assert.strictEqual(readFileSync(input.file, "utf8"), base)
    })
  )

  it.live("leaves the user's edit, and nothing of its own", () =>
    Effect.gen(function* () {
      const input = yield* workspace({ text: base })
      const edit = (text: string) => text.replace("dark", "light")
      yield* killed(input, () => writeFileSync(input.file, edit(readFileSync(input.file, "utf8"))))
      assertAsBefore(input, edit(base))
    })
  )

  it.live("leaves what the user has put into the directory that it had made", () =>
    Effect.gen(function* () {
      const input = yield* workspace({ text: null })
      yield* killed(input, () => writeFileSync(join(dirname(input.file), "notes.md"), "mine"))
      assert.deepStrictEqual(readdirSync(dirname(input.file)), ["notes.md"])
    })
  )

  it.live("leaves what another run needs that goes on", () =>
    Effect.gen(function* () {
      const input = yield* workspace({ text: base })
      const other = yield* startHolder(input, "other")
      assert.strictEqual(yield* other.line, "held")
      yield* killed(input)
      assertHas(input, serverOf("other"))
      assert.notInclude(readFileSync(input.file, "utf8"), "killed")
      other.child.stdin.write("back\n")
      assert.strictEqual(yield* other.line, "given back")
      assertAsBefore(input)
    })
  )

  it.live("also when its reaper was killed before", () =>
    Effect.gen(function* () {
      const input = yield* workspace({ text: base })
      const holder = yield* startHolder(input, "killed")
      assert.strictEqual(yield* holder.line, "held")
      const pid = holder.child.pid ?? 0
      const [first = 0] = reapersOf(pid)
      process.kill(first, "SIGKILL")
      yield* until(() => reapersOf(pid).some((found) => found !== first && isAlive(found)), 5_000)
      holder.child.kill("SIGKILL")
      yield* holder.ended
      yield* until(() => readFileSync(input.file, "utf8") === base)
    })
  )
})
