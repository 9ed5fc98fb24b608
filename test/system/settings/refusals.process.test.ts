/** A file that cannot be changed is refused by name and stays as it is; one that could not be restored is restored later. */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Host, makeHost } from "../../../src/system/process/host.ts"
import { noProcessTable } from "../../../src/system/process/processTable.ts"
import { type Disk, nodeDisk, SettingsDisk } from "../../../src/system/settings/disk.ts"
import { DiskRefused } from "../../../src/system/settings/wholeFile.ts"
import { assertAsBefore, journalOf, makeProcesses, recover, serverOf, take, workspace } from "./workspace.ts"

const commented = '// mine\n{\n  "theme": "dark", /* really */\n  "servers": { "own": { "url": "x" } }\n}\n'
const mine = serverOf("mine")
const host = makeProcesses().start()

layer(Layer.empty)("a settings file that cannot be changed", (it) => {
  const refusedWith = (before: Parameters<typeof workspace>[0], problem: RegExp) =>
    Effect.gen(function* () {
      const input = yield* workspace(before)
      const error = yield* Effect.flip(take(input, host, mine))
      assert.strictEqual(error._tag, "SettingsUnreadable")
      assert.match(error.message, problem)
      assertAsBefore(input)
    })

  it.effect.each([
    ["{", /is not a JSON object/],
    ["", /is not a JSON object/],
    ["[]", /is not a JSON object/],
    ['{"servers": {},}', /is not a JSON object/],
    ['{"servers": "secret words"}', /settings\.json has a "servers" that is not an object$/]
  ] as const)("%s", ([text, problem]) => refusedWith({ text }, problem))

  it.effect("bytes that are not text", () =>
    Effect.gen(function* () {
      const input = yield* workspace({ text: "{}" })
      const bytes = Uint8Array.of(123, 34, 255, 34, 58, 49, 125)
      writeFileSync(input.file, bytes)
      yield* Effect.flip(take(input, host, mine))
      assert.deepStrictEqual(new Uint8Array(readFileSync(input.file)), bytes)
    })
  )

  it.effect("a directory, a missing directory, a journal of others", () =>
    Effect.gen(function* () {
      const input = yield* workspace({ text: undefined })
      mkdirSync(input.file)
      assert.match((yield* Effect.flip(take(input, host, mine))).message, /is not a file/)
      const nowhere = { ...input, directory: join(input.directory, "no", "where") }
      assert.match(
        (yield* Effect.flip(take(nowhere, host, mine))).message,
        /cannot be found: no such file or directory \(ENOENT\)/
      )
      const journaled = yield* workspace({ text: "{}" })
      const held = yield* take(journaled, host, mine)
      const journal = journalOf(journaled)
      const text = readFileSync(journal, "utf8").replace('"version":2', '"version":3')
      writeFileSync(journal, text)
      const error = yield* Effect.flip(take(journaled, host, serverOf("other")))
      assert.include(error.message, journal)
      assert.match(error.message, /is a journal of another version of Reins: run that version once more, or remove/)
      yield* held.end
      assert.strictEqual(readFileSync(journal, "utf8"), text)
    })
  )

  const refusal = Effect.fail(new DiskRefused({ code: "EACCES", problem: "permission denied (EACCES)" }))
  const onDisk = (changes: Partial<Disk>) => Effect.provideService(SettingsDisk, { ...nodeDisk, ...changes })

  it.effect.each([0, 1])("where only %s files can be written, the run is refused and all is as before", (good) =>
    Effect.gen(function* () {
      const input = yield* workspace({ text: good === 0 ? null : commented })
      let count = 0
      const create: Disk["create"] = (...file) => {
        count += 1
        return count > good ? refusal : nodeDisk.create(...file)
      }
      const error = yield* Effect.flip(onDisk({ create })(take(input, host, mine)))
      assert.match(error.message, /cannot be written: permission denied/)
      assertAsBefore(input)
    })
  )

  it.effect("a directory that no handle pins is looked at again: a replaced one is not written", () =>
    Effect.gen(function* () {
      const input = yield* workspace({ text: commented })
      const folder = dirname(input.file)
      let isReplaced = false
      const stat: Disk["stat"] = (path) => {
        if (path === input.file && !isReplaced) {
          isReplaced = true
          renameSync(folder, `${folder}.old`)
          mkdirSync(folder)
        }
        return nodeDisk.stat(path)
      }
      const elsewhere = makeHost("freebsd", noProcessTable)
      const error = yield* take(input, host, mine).pipe(
        onDisk({ stat }),
        Effect.provideService(Host, elsewhere),
        Effect.flip
      )
      assert.match(error.message, /is in a directory that was replaced during the change/)
      assert.isTrue(isReplaced)
      assert.deepStrictEqual(readdirSync(folder), [])
      assert.strictEqual(readFileSync(join(`${folder}.old`, basename(input.file)), "utf8"), commented)
    })
  )

  it.effect("without hard links the bytes and the mode come back all the same", () =>
    Effect.gen(function* () {
      const input = yield* workspace({ text: commented, mode: 0o640 })
      const held = yield* onDisk({ link: () => refusal })(take(input, host, mine))
      yield* held.end
      assertAsBefore(input)
    })
  )

  it.effect("what could not be given back is given back later", () =>
    Effect.gen(function* () {
      const input = yield* workspace({ text: commented })
      const processes = makeProcesses()
      const first = processes.start()
      let isBroken = false
      const held = yield* onDisk({
        rename: (from, to) => (isBroken ? refusal : nodeDisk.rename(from, to)),
        create: (...file) => (isBroken ? refusal : nodeDisk.create(...file))
      })(take(input, first, mine))
      isBroken = true
      yield* held.end
      assert.isTrue(existsSync(journalOf(input)))
      processes.kill(first)
      assert.isTrue((yield* recover(input, processes.start())).isRestored)
      assertAsBefore(input)
    })
  )
})
