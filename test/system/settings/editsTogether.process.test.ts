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
  it.effect("that is not JSON stays; no new run joins, and nothing is lost", () =>
    inWorkspace({ text: base }, (input) =>
      Effect.gen(function* () {
        const first = yield* take(input, one, serverOf("first"))
        const second = yield* take(input, two, serverOf("second"))
        writeFileSync(input.file, "{ broken")
        assert.match((yield* Effect.flip(take(input, two, serverOf("third")))).message, /is not a JSON object/)
        yield* first.end
        assert.strictEqual(readFileSync(input.file, "utf8"), "{ broken")
        yield* second.end
        assertAsBefore(input, "{ broken")
      })
    )
  )

  it.effect("that is repaired is as if it had never been", () =>
    inWorkspace({ text: base, mode: 0o640 }, (input) =>
      Effect.gen(function* () {
        const first = yield* take(input, one, serverOf("first"))
        const second = yield* take(input, two, serverOf("second"), { secret: true })
        const whole = readFileSync(input.file)
        writeFileSync(input.file, "{ broken")
        yield* first.end
        writeFileSync(input.file, whole)
        yield* second.end
        assertAsBefore(input)
      })
    )
  )

  it.effect("that is not JSON when the last one ends is fixed by the next one", () =>
    inWorkspace({ text: base }, (input) =>
      Effect.gen(function* () {
        const first = yield* take(input, one, serverOf("first"))
        const broken = readFileSync(input.file, "utf8").replace("{", "{{")
        writeFileSync(input.file, broken)
        yield* first.end
        assert.strictEqual(readFileSync(input.file, "utf8"), broken)
        assert.deepStrictEqual(yield* recover(input, two), {
          file: input.file,
          isRestored: false,
          activeRuns: 0,
          isPending: true
        })
        writeFileSync(input.file, broken.replace("{{", '{ "new": 1,'))
        yield* (yield* take(input, two, serverOf("second"))).end
        assertAsBefore(input, base.replace("{", '{ "new": 1,'))
      })
    )
  )

  it.effect("that deletes the file: the other gets its own, and in the end it is deleted", () =>
    inWorkspace({ text: base }, (input) =>
      Effect.gen(function* () {
        const first = yield* take(input, one, serverOf("first"))
        rmSync(input.file)
        const second = yield* take(input, two, serverOf("second"))
        assert.deepStrictEqual(readSettings(input.file), {
          servers: { first: { command: "first" }, second: { command: "second" } }
        })
        assert.strictEqual(modeOf(input.file), 0o600)
        yield* first.end
        assert.deepStrictEqual(readSettings(input.file), serverOf("second"))
        yield* second.end
        assert.deepStrictEqual(namesBelow(input.directory), [".agent"])
      })
    )
  )
})
