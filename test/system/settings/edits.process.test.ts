/** The user edits the file while runs hold it: his version stands, and only what was put in is taken out. */
import { chmodSync, lstatSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { assert, layer } from "@effect/vitest"
import { Arbitrary, Effect, Layer, Schema } from "effect"
import { changeText, edits } from "./edits.ts"
import {
  assertAsBefore,
  assertHas,
  type Held,
  inWorkspace,
  makeProcesses,
  namesBelow,
  recover,
  runOf,
  serverOf,
  take,
  type Workspace
} from "./workspace.ts"

const base =
  '{ // settings\n  "theme": "dark",\n  "servers": { "own": { "url": "x" }, /* mine */ "two": 2 },\n  "last": []\n}\n'

const Act = Schema.Union([
  Schema.Struct({ run: Schema.Literals([0, 1, 2]), early: Schema.Boolean }),
  Schema.Struct({ edit: Schema.Literals(edits) })
])

layer(Layer.empty)("a user who edits while runs come and go", (it) => {
  it.effect.prop(
    "finds his edits and nothing else in the end, byte for byte",
    [
      Arbitrary.array(Arbitrary.schema(Act), { minLength: 2, maxLength: 10 }),
      Arbitrary.schema(Schema.Literals([1, 2, 3]))
    ],
    ([acts, count]) =>
      inWorkspace({ text: base }, (input) =>
        Effect.gen(function* () {
          const processes = makeProcesses()
          const hosts = [processes.start(), processes.start(), processes.start()]
          const held = new Map<number, Held>()
          const user = { text: base, mode: 0o644 }
          for (const [turn, act] of acts.entries()) {
            if ("edit" in act) {
              changeText(input.file, user, act.edit, turn)
              continue
            }
            const lease = held.get(act.run)
            if (lease !== undefined) {
              held.delete(act.run)
              yield* act.early ? lease.release : lease.end
              continue
            }
            const host = hosts[act.run % count] ?? processes.start()
            const { patch, secret } = runOf(act.run)
            held.set(act.run, yield* take(input, host, patch, { secret }))
            assertHas(input, patch)
          }
          for (const lease of held.values()) yield* lease.end
          assertAsBefore(input, user.text, user.mode)
        })
      ),
    { arbitrary: { runs: 120 } }
  )
})

const host = makeProcesses().start()

/** The file at the end of a run during which the user changed it. */
const editedDuring = (
  text: string | undefined | null,
  edit: (input: Workspace) => void,
  after: (input: Workspace) => void
) =>
  inWorkspace({ text }, (input) =>
    Effect.gen(function* () {
      const lease = yield* take(input, host, serverOf("mine"), { secret: true })
      edit(input)
      yield* lease.end
      after(input)
    })
  )

const replaceWith = (text: string) => (input: Workspace) => writeFileSync(input.file, text)
const isNow = (text: string) => (input: Workspace) => {
  assert.strictEqual(readFileSync(input.file, "utf8"), text)
  assert.deepStrictEqual(namesBelow(input.directory), [".agent", ".agent/settings.json"])
}
const isGone = (input: Workspace) => assert.deepStrictEqual(namesBelow(input.directory), [".agent"])

layer(Layer.empty)("an edit during a run", (it) => {
  it.effect.each([
    [
      "changes our server",
      base,
      '{"servers":{"mine":{"command":"other"}}}',
      '{"servers":{"mine":{"command":"other"}}}'
    ],
    ["writes ours in another form", base, '{"servers":{"mine":{ "command" :\n"mine" },"x":1}}', '{"servers":{"x":1}}'],
    ["removes ours", base, '{"servers":{"two":2}}', '{"servers":{"two":2}}'],
    ["is not JSON", base, "{ broken", "{ broken"],
    ["empties the file", base, "", ""],
    ["has another kind of section", base, '{"servers":"none"}', '{"servers":"none"}'],
    ["goes back to the user's text", base, base, base],
    ["adds to a file that was made", undefined, '{"servers":{"mine":{"command":"mine"}},"x":1}', '{"x":1}'],
    ["adds to a directory that was made", null, '{"servers":{"mine":{"command":"mine"}},"x":1}', '{"x":1}'],
    ["puts a comment into a file that was made", null, "{ /* mine */ }", "{ /* mine */ }"]
  ] as const)("that %s", ([, before, now, left]) => editedDuring(before, replaceWith(now), isNow(left)))

  it.effect("that overlays what the user had before: what he had does not come back", () =>
    editedDuring(
      '{"servers":{"mine":{"url":"old"}},"x":1}',
      replaceWith('{"servers":{"mine":{"command":"new"}},"x":2}'),
      isNow('{"servers":{"mine":{"command":"new"}},"x":2}')
    )
  )

  it.effect("elsewhere: what the user had before comes back as he wrote it", () =>
    editedDuring(
      '{"servers":{"mine":{ "url": "old" /* kept */ }},"x":1}',
      (input) => writeFileSync(input.file, readFileSync(input.file, "utf8").replace('"x":1', '"x":2')),
      isNow('{"servers":{"mine":{ "url": "old" /* kept */ }},"x":2}')
    )
  )

  it.effect.each([base, undefined])("that deletes the file", (before) =>
    editedDuring(before, ({ file }) => rmSync(file), isGone)
  )

  it.effect("that deletes the directory", () =>
    editedDuring(
      base,
      ({ file }) => rmSync(dirname(file), { recursive: true }),
      (input) => assert.deepStrictEqual(namesBelow(input.directory), [])
    )
  )

  it.effect("that takes the layout out of a file that was made: nothing is left", () =>
    editedDuring(null, replaceWith('{"servers":{"mine":{"command":"mine"}}}'), (input) => assertAsBefore(input))
  )

  it.effect("that changes the mode alone", () =>
    editedDuring(
      base,
      ({ file }) => chmodSync(file, 0o444),
      (input) => assertAsBefore(input, base, 0o444)
    )
  )

  it.effect("that leaves the mode of a secret alone: the user's mode comes back", () =>
    editedDuring(
      base,
      ({ file }) => writeFileSync(file, readFileSync(file, "utf8").replace("dark", "light")),
      (input) => assertAsBefore(input, base.replace("dark", "light"))
    )
  )

  it.effect.each(["dark", "light"])(
    "that moves the file and links to it: the link is followed in there (%s)",
    (theme) => {
      const moved = ({ file }: Workspace) => join(dirname(file), "mine.json")
      return editedDuring(
        base,
        (input) => {
          renameSync(input.file, moved(input))
          symlinkSync("mine.json", input.file)
          writeFileSync(moved(input), readFileSync(moved(input), "utf8").replace("dark", theme))
        },
        (input) => {
          assert.isTrue(lstatSync(input.file).isSymbolicLink())
          assert.strictEqual(readFileSync(moved(input), "utf8"), base.replace("dark", theme))
        }
      )
    }
  )

  it.effect("that moves the file elsewhere: nothing is changed there, and it is given back when it is back", () =>
    inWorkspace({ text: base }, (input) =>
      Effect.gen(function* () {
        const lease = yield* take(input, host, serverOf("mine"))
        const moved = join(input.directory, "settings of mine.json")
        const whole = readFileSync(input.file, "utf8")
        renameSync(input.file, moved)
        symlinkSync(moved, input.file)
        yield* lease.end
        assert.strictEqual(readFileSync(moved, "utf8"), whole)
        assert.match((yield* Effect.flip(recover(input, host))).message, /is a link that leaves its directory/)
        renameSync(moved, input.file)
        assert.isTrue((yield* recover(input, host)).isRestored)
        assertAsBefore(input)
      })
    )
  )
})
