/** What cannot be changed is refused by name and stays as it is; what could not be given back is given back later. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, layer } from "@effect/vitest"
import { Effect, FileSystem, PlatformError } from "effect"
import { assertAsBefore, makeProcesses, recover, serverOf, take, workspace } from "./workspace.ts"

const commented = '// mine\n{\n  "theme": "dark", /* really */\n  "servers": { "own": { "url": "x" } }\n}\n'
const mine = serverOf("mine")
const host = makeProcesses().start()

layer(NodeServices.layer)("a settings file that cannot be changed", (it) => {
  const refusedWith = (before: Parameters<typeof workspace>[0], problem: RegExp) =>
    Effect.gen(function* () {
      const given = yield* workspace(before)
      const error = yield* Effect.flip(take(given, host, mine))
      assert.strictEqual(error._tag, "SettingsUnreadable")
      assert.match(error.message, problem)
      assertAsBefore(given)
    })

  it.effect.each([
    ["{", /is not a JSON object/],
    ["", /is not a JSON object/],
    ["[]", /is not a JSON object/],
    ['{"servers": {},}', /is not a JSON object/],
    ['{"servers": "secret words"}', /settings\.json has a "servers" that is no object$/]
  ] as const)("%s", ([text, problem]) => refusedWith({ text }, problem))

  it.effect("bytes that are no text", () =>
    Effect.gen(function* () {
      const given = yield* workspace({ text: "{}" })
      const bytes = Uint8Array.of(123, 34, 255, 34, 58, 49, 125)
      writeFileSync(given.file, bytes)
      yield* Effect.flip(take(given, host, mine))
      assert.deepStrictEqual(new Uint8Array(readFileSync(given.file)), bytes)
    })
  )

  it.effect("a directory, a missing directory, a journal of others", () =>
    Effect.gen(function* () {
      const given = yield* workspace({ text: undefined })
      mkdirSync(given.file)
      assert.match((yield* Effect.flip(take(given, host, mine))).message, /is not a file/)
      const nowhere = { ...given, directory: join(given.directory, "no", "where") }
      assert.match(
        (yield* Effect.flip(take(nowhere, host, mine))).message,
        /cannot be found: no such file or directory \(ENOENT\)/
      )
      const journaled = yield* workspace({ text: "{}" })
      const journal = join(dirname(journaled.file), "settings.json.reins-journal")
      writeFileSync(journal, '{"version":2}')
      assert.match((yield* Effect.flip(take(journaled, host, mine))).message, /journal of this version/)
      assert.strictEqual(readFileSync(journal, "utf8"), '{"version":2}')
    })
  )

  const refusal = (method: string) =>
    Effect.fail(PlatformError.systemError({ _tag: "PermissionDenied", module: "FileSystem", method }))

  it.effect.each([0, 1])("where only %s files can be written, the run is refused and all is as before", (good) =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const given = yield* workspace({ text: good === 0 ? null : commented })
      let count = 0
      const full: FileSystem.FileSystem = {
        ...fs,
        writeFile: (file, data, options) => {
          if (data.length > 0) count += 1
          return data.length > 0 && count > good ? refusal("writeFile") : fs.writeFile(file, data, options)
        }
      }
      const error = yield* Effect.flip(Effect.provideService(take(given, host, mine), FileSystem.FileSystem, full))
      assert.match(error.message, /cannot be written: PermissionDenied/)
      assertAsBefore(given)
    })
  )

  it.effect("without hard links the bytes and the mode come back all the same", () =>
    Effect.gen(function* () {
      const given = yield* workspace({ text: commented, mode: 0o640 })
      const fs = { ...(yield* FileSystem.FileSystem), link: () => refusal("link") }
      const held = yield* Effect.provideService(take(given, host, mine), FileSystem.FileSystem, fs)
      yield* held.end
      assertAsBefore(given)
    })
  )

  it.effect("what could not be given back is given back later", () =>
    Effect.gen(function* () {
      const given = yield* workspace({ text: commented })
      const processes = makeProcesses()
      const first = processes.start()
      const fs = yield* FileSystem.FileSystem
      let isBroken = false
      const held = yield* take(given, first, mine).pipe(
        Effect.provideService(FileSystem.FileSystem, {
          ...fs,
          remove: (file, options) => (isBroken ? refusal("remove") : fs.remove(file, options))
        })
      )
      isBroken = true
      yield* held.end
      assert.isTrue(existsSync(join(dirname(given.file), "settings.json.reins-journal")))
      processes.kill(first)
      assert.isTrue((yield* recover(given, processes.start())).isRestored)
      assertAsBefore(given)
    })
  )
})
