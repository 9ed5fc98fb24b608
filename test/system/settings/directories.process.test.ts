/** A created directory is removed again, but not with the files of others. */
import { rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { nodeDisk, SettingsDisk } from "../../../src/system/settings/disk.ts"
import { assertAsBefore, assertHas, keptIn, makeProcesses, namesBelow, serverOf, take, workspace } from "./workspace.ts"

layer(Layer.empty)("a directory that goes", (it) => {
  it.effect("stays with files that others add at the last moment", () =>
    Effect.gen(function* () {
      const input = yield* workspace({ text: null })
      const notes = join(dirname(input.file), "notes.md")
      const disk = {
        ...nodeDisk,
        removeEmpty: (path: string) => {
          if (!path.startsWith(input.state)) writeFileSync(notes, "mine")
          return nodeDisk.removeEmpty(path)
        }
      }
      const held = yield* Effect.provideService(take(input, makeProcesses().start(), serverOf("a")), SettingsDisk, disk)
      yield* held.end
      assert.deepStrictEqual(namesBelow(input.directory), [".agent", ".agent/notes.md"])
      assert.deepStrictEqual(keptIn(input), [])
    })
  )

  it.effect("goes with the last of several runs", () =>
    Effect.gen(function* () {
      const input = yield* workspace({ text: null })
      const processes = makeProcesses()
      const one = yield* take(input, processes.start(), serverOf("one"))
      const two = yield* take(input, processes.start(), serverOf("two"))
      yield* one.end
      assertHas(input, serverOf("two"))
      yield* two.end
      assertAsBefore(input)
    })
  )

  it.effect("is made anew for a run that needs it when the user has removed it", () =>
    Effect.gen(function* () {
      const input = yield* workspace({ text: null })
      const processes = makeProcesses()
      const one = yield* take(input, processes.start(), serverOf("one"))
      rmSync(dirname(input.file), { recursive: true })
      const two = yield* take(input, processes.start(), serverOf("two"))
      assertHas(input, serverOf("one"))
      assertHas(input, serverOf("two"))
      yield* one.end
      yield* two.end
      assertAsBefore(input)
    })
  )
})
