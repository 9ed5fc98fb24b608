/** Real processes in one directory: they keep apart, and what a killed one leaves is restored. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { leaseSettings } from "../../../src/system/settings/lease.ts"
import { recoverSettings } from "../../../src/system/settings/recover.ts"
import { reapersOf } from "../../faults/kit/processHost.ts"
import { modeOf } from "../../kit/files.ts"
import { endAll } from "../../kit/processes.ts"
import { startHolder } from "./holder.ts"
import { assertAsBefore, assertHas, inStateOf, path, readSettings, serverOf, workspace } from "./workspace.ts"

const base = '{\n  "servers": { "own": {} },\n  "theme": "dark"\n}\n'

layer(Layer.empty, { excludeTestServices: true })("processes in one directory", (it) => {
  it.effect("each has its servers, and the last one restores the user's file", () =>
    Effect.gen(function* () {
      const input = yield* workspace({ text: base, mode: 0o664 })
      const names = ["a", "b", "c"]
      const children = yield* Effect.forEach(names, (name) => startHolder(input, name))
      for (const child of children) assert.strictEqual(yield* child.line, "held")
      assert.deepStrictEqual(Object.keys(readSettings(input.file).servers).sort(), [...names, "own"])
      assert.strictEqual(modeOf(input.file), 0o600)
      for (const [index, child] of children.entries()) {
        child.child.stdin.write("back\n")
        assert.strictEqual(yield* child.line, "given back")
        for (const name of names.slice(index + 1)) assertHas(input, serverOf(name))
      }
      for (const child of children) assert.deepStrictEqual(yield* child.ended, [0, null])
      assertAsBefore(input)
    })
  )

  it.effect.each([base, null])("many rounds at once lose nothing", (text) =>
    Effect.gen(function* () {
      const input = yield* workspace({ text })
      const children = yield* Effect.forEach(["a", "b", "c"], (name) => startHolder(input, name, "15"))
      for (const child of children) assert.deepStrictEqual(yield* child.ended, [0, null])
      assertAsBefore(input)
    })
  )

  it.effect.each([{ text: base, mode: 0o640 }, { text: undefined }, { text: null }])(
    "a killed one is found by recovery, and by the next run (%j)",
    (before) =>
      Effect.gen(function* () {
        for (const next of ["recovery", "run"]) {
          const input = yield* workspace(before)
          const killed = yield* startHolder(input, "killed")
          assert.strictEqual(yield* killed.line, "held")
          assertHas(input, serverOf("killed"))
          const during = yield* inStateOf(input)(recoverSettings(input.directory, path))
          assert.deepStrictEqual([during.isRestored, during.activeRuns], [false, 1])
          assertHas(input, serverOf("killed"))
          // It is not the reaper that gives the file back.
          const reapers = reapersOf(killed.child.pid ?? 0)
          for (const reaper of reapers) process.kill(reaper, "SIGSTOP")
          killed.child.kill("SIGKILL")
          yield* Effect.addFinalizer(() => Effect.sync(() => endAll(reapers)))
          assert.deepStrictEqual(yield* killed.ended, [null, "SIGKILL"])
          if (next === "recovery") {
            assert.isTrue((yield* inStateOf(input)(recoverSettings(input.directory, path))).isRestored)
          } else {
            const patch = serverOf("next")
            const lease = yield* inStateOf(input)(
              leaseSettings({ directory: input.directory, path, patch, secret: false })
            )
            assert.notProperty(readSettings(input.file).servers, "killed")
            yield* lease.release
          }
          assertAsBefore(input)
        }
      })
  )
})
