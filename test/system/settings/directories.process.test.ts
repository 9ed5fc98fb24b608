/** A directory that was made goes again, but with nothing that somebody else has put into it. */
import { rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { nodeDisk, SettingsDisk } from "../../../src/system/settings/disk.ts"
import { assertAsBefore, assertHas, keptIn, makeProcesses, namesBelow, serverOf, take, workspace } from "./workspace.ts"

layer(Layer.empty)("a directory that goes", (it) => {
  it.effect("stays with what somebody puts into it at the last moment", () =>
    Effect.gen(function* () {
      const given = yield* workspace({ text: null })
      const notes = join(dirname(given.file), "notes.md")
      const disk = {
        ...nodeDisk,
        removeEmpty: (path: string) => {
          if (!path.startsWith(given.state)) writeFileSync(notes, "mine")
          return nodeDisk.removeEmpty(path)
        }
      }
      const held = yield* Effect.provideService(take(given, makeProcesses().start(), serverOf("a")), SettingsDisk, disk)
      yield* held.end
      assert.deepStrictEqual(namesBelow(given.directory), [".agent", ".agent/notes.md"])
      assert.deepStrictEqual(keptIn(given), [])
    })
  )

  it.effect("goes with the last of several runs", () =>
    Effect.gen(function* () {
      const given = yield* workspace({ text: null })
      const processes = makeProcesses()
      const one = yield* take(given, processes.start(), serverOf("one"))
      const two = yield* take(given, processes.start(), serverOf("two"))
      yield* one.end
      assertHas(given, serverOf("two"))
      yield* two.end
      assertAsBefore(given)
    })
  )

  it.effect("is made anew for a run that needs it when the user has removed it", () =>
    Effect.gen(function* () {
      const given = yield* workspace({ text: null })
      const processes = makeProcesses()
      const one = yield* take(given, processes.start(), serverOf("one"))
      rmSync(dirname(given.file), { recursive: true })
      const two = yield* take(given, processes.start(), serverOf("two"))
      assertHas(given, serverOf("one"))
      assertHas(given, serverOf("two"))
      yield* one.end
      yield* two.end
      assertAsBefore(given)
    })
  )
})
