/** The user edits the file while two runs hold it. */
import { readFileSync, rmSync, writeFileSync } from "node:fs"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { modeOf } from "../../kit/files.ts"
import {
  assertAsBefore,
  inWorkspace,
  makeProcesses,
  namesBelow,
  readSettings,
  recover,
  serverOf,
  take
} from "./workspace.ts"

const base = '{ // settings\n  "theme": "dark",\n  "servers": { "own": { "url": "x" }, /* mine */ "two": 2 }\n}\n'

const processes = makeProcesses()
const [one, two] = [processes.start(), processes.start()]

layer(Layer.empty)("an edit while two runs hold the file", (it) => {
  it.effect("that is no JSON stands; nobody new comes in, and it is nobody's loss", () =>
    inWorkspace({ text: base }, (given) =>
      Effect.gen(function* () {
        const first = yield* take(given, one, serverOf("first"))
        const second = yield* take(given, two, serverOf("second"))
        writeFileSync(given.file, "{ broken")
        assert.match((yield* Effect.flip(take(given, two, serverOf("third")))).message, /is not a JSON object/)
        yield* first.end
        assert.strictEqual(readFileSync(given.file, "utf8"), "{ broken")
        yield* second.end
        assertAsBefore(given, "{ broken")
      })
    )
  )

  it.effect("that is repaired is as if it had never been", () =>
    inWorkspace({ text: base, mode: 0o640 }, (given) =>
      Effect.gen(function* () {
        const first = yield* take(given, one, serverOf("first"))
        const second = yield* take(given, two, serverOf("second"), { secret: true })
        const whole = readFileSync(given.file)
        writeFileSync(given.file, "{ broken")
        yield* first.end
        writeFileSync(given.file, whole)
        yield* second.end
        assertAsBefore(given)
      })
    )
  )

  it.effect("that is no JSON when the last one ends is put right by the next one", () =>
    inWorkspace({ text: base }, (given) =>
      Effect.gen(function* () {
        const first = yield* take(given, one, serverOf("first"))
        const broken = readFileSync(given.file, "utf8").replace("{", "{{")
        writeFileSync(given.file, broken)
        yield* first.end
        assert.strictEqual(readFileSync(given.file, "utf8"), broken)
        assert.deepStrictEqual(yield* recover(given, two), {
          file: given.file,
          isRestored: false,
          activeRuns: 0,
          isPending: true
        })
        writeFileSync(given.file, broken.replace("{{", '{ "new": 1,'))
        yield* (yield* take(given, two, serverOf("second"))).end
        assertAsBefore(given, base.replace("{", '{ "new": 1,'))
      })
    )
  )

  it.effect("that deletes the file: the other gets its own, and in the end it is deleted", () =>
    inWorkspace({ text: base }, (given) =>
      Effect.gen(function* () {
        const first = yield* take(given, one, serverOf("first"))
        rmSync(given.file)
        const second = yield* take(given, two, serverOf("second"))
        assert.deepStrictEqual(readSettings(given.file), {
          servers: { first: { command: "first" }, second: { command: "second" } }
        })
        assert.strictEqual(modeOf(given.file), 0o600)
        yield* first.end
        assert.deepStrictEqual(readSettings(given.file), serverOf("second"))
        yield* second.end
        assert.deepStrictEqual(namesBelow(given.directory), [".agent"])
      })
    )
  )
})
