/** The user's state directory: it is his alone, or it is not used and the run is told what that means. */
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { FileLocks } from "../../../src/system/locks/fileLocks.ts"
import { tryKernelLock } from "../../../src/system/locks/kernelLock.ts"
import { PasswordHome } from "../../../src/system/locks/stateDirectory.ts"
import { HostEnvironment } from "../../../src/system/process/HostEnvironment.ts"
import { leaseSettings } from "../../../src/system/settings/lease.ts"
import { recoverSettings } from "../../../src/system/settings/recover.ts"
import { makeDirectory } from "../../kit/temporary.ts"

const path = [".agent", "settings.json"]
const base = '{ "theme": "dark" }\n'

const makeProject = Effect.gen(function* () {
  const directory = yield* makeDirectory
  mkdirSync(join(directory, ".agent"))
  writeFileSync(join(directory, ...path), base)
  return { directory, text: () => readFileSync(join(directory, ...path), "utf8") }
})

type Environment = Readonly<Record<string, string | undefined>>

/** A run, with its warnings and what the file was meanwhile. */
const visit = (directory: string, env: Environment, text: () => string) => {
  const warnings: Array<string> = []
  const onWarning = (message: string) => void warnings.push(message)
  const patch = { servers: { mine: { command: "mine" } } }
  return leaseSettings({ directory, path, patch, secret: false, onWarning }).pipe(
    Effect.map(() => ({ warnings, during: text() })),
    Effect.scoped,
    Effect.provideService(HostEnvironment, env),
    Effect.provideService(PasswordHome, () => undefined)
  )
}

describe("a state directory that", () => {
  const unusable: ReadonlyArray<readonly [string, (state: string) => void, RegExp]> = [
    ["is a link", (state) => symlinkSync("/tmp", state), /is a link: make it a directory of your own with mode 700/],
    ["is a file", (state) => writeFileSync(state, ""), /is not a directory/],
    [
      "can be written by others",
      (state) => {
        mkdirSync(state)
        chmodSync(state, 0o777)
      },
      /can be written by others/
    ]
  ]

  it.live.each(unusable)("%s is not used, and the run is told", ([_, make, problem]) =>
    Effect.gen(function* () {
      const { directory, text } = yield* makeProject
      const home = yield* makeDirectory
      const state = join(home, "reins")
      make(state)
      const before = JSON.stringify([lstatSync(state).mode, readdirSync(home)])
      const { warnings, during } = yield* visit(directory, { XDG_STATE_HOME: home }, text)
      assert.lengthOf(warnings, 1)
      assert.match(warnings[0] ?? "", problem)
      assert.include(warnings[0] ?? "", JSON.stringify(state))
      assert.match(warnings[0] ?? "", /a killed host leaves changed are not restored/)
      // The run works all the same.
      assert.include(during, '"mine"')
      assert.strictEqual(text(), base)
      assert.strictEqual(JSON.stringify([lstatSync(state).mode, readdirSync(home)]), before)
    })
  )

  it.live("lies below what is not a directory is not used, and the run is told", () =>
    Effect.gen(function* () {
      const { directory, text } = yield* makeProject
      const file = join(yield* makeDirectory, "file")
      writeFileSync(file, "")
      const { warnings } = yield* visit(directory, { XDG_STATE_HOME: file }, text)
      assert.match(warnings[0] ?? "", /cannot be used, .*ENOTDIR/)
      assert.strictEqual(text(), base)
    })
  )

  // Only root may give directories away.
  it.live.skipIf(process.getuid?.() !== 0)("belongs to another user is not used, and the run is told", () =>
    Effect.gen(function* () {
      const { directory, text } = yield* makeProject
      const home = yield* makeDirectory
      mkdirSync(join(home, "reins"), { mode: 0o700 })
      const { chownSync } = yield* Effect.promise(() => import("node:fs"))
      chownSync(join(home, "reins"), 1234, 1234)
      const { warnings } = yield* visit(directory, { XDG_STATE_HOME: home }, text)
      assert.match(warnings[0] ?? "", /belongs to the user 1234/)
      assert.strictEqual(text(), base)
    })
  )

  it.live("is unknown: the run is told", () =>
    Effect.gen(function* () {
      const { directory, text } = yield* makeProject
      const { warnings } = yield* visit(directory, {}, text)
      assert.match(warnings[0] ?? "", /no state directory is known: set HOME, or XDG_STATE_HOME/)
      assert.strictEqual(text(), base)
    })
  )

  it.live("is missing is made, for its owner alone", () =>
    Effect.gen(function* () {
      const { directory, text } = yield* makeProject
      const home = yield* makeDirectory
      const { warnings } = yield* visit(directory, { HOME: home }, text)
      assert.deepStrictEqual(warnings, [])
      const state = process.platform === "linux" ? join(home, ".local/state/reins") : undefined
      if (state !== undefined) assert.strictEqual(statSync(state).mode & 0o777, 0o700)
    })
  )

  it.live("is missing is not made where nothing is to be changed", () =>
    Effect.gen(function* () {
      const { directory } = yield* makeProject
      const home = yield* makeDirectory
      yield* recoverSettings(directory, path).pipe(Effect.provideService(HostEnvironment, { HOME: home }))
      assert.deepStrictEqual(readdirSync(home), [])
    })
  )

  it.live("others may read is closed to them", () =>
    Effect.gen(function* () {
      const { directory, text } = yield* makeProject
      const home = yield* makeDirectory
      mkdirSync(join(home, "reins"), { mode: 0o755 })
      assert.deepStrictEqual((yield* visit(directory, { XDG_STATE_HOME: home }, text)).warnings, [])
      assert.strictEqual(statSync(join(home, "reins")).mode & 0o777, 0o700)
    })
  )
})

it.live("without locks between processes, runs of this process keep apart, and are told", () =>
  Effect.gen(function* () {
    const { directory, text } = yield* makeProject
    const locks: FileLocks = {
      tryLock: tryKernelLock,
      missing: Effect.succeed("this runtime has no node:sqlite"),
      gates: new Map()
    }
    const runs = Array.from({ length: 4 }, () => visit(directory, process.env, text))
    const ended = yield* Effect.all(runs, { concurrency: "unbounded" }).pipe(Effect.provideService(FileLocks, locks))
    for (const { warnings, during } of ended) {
      assert.match(warnings[0] ?? "", /^this runtime has no node:sqlite: .* other processes are not excluded/)
      assert.include(during, '"mine"')
    }
    assert.strictEqual(text(), base)
  })
)
