/** The user's home where HOME is missing, relative, another user's or closed. */
import { chownSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { readConfiguration } from "../../../src/api/Configuration.ts"
import { findStateDirectory, findUserDirectory, PasswordHome } from "../../../src/system/locks/stateDirectory.ts"
import { HostEnvironment } from "../../../src/system/process/HostEnvironment.ts"
import { homeOf } from "../../../src/system/process/homeDirectory.ts"
import { Host, makeHost } from "../../../src/system/process/host.ts"
import { noProcessTable } from "../../../src/system/process/processTable.ts"
import { makeDirectory } from "../../kit/temporary.ts"

const found = (env: Readonly<Record<string, string>>) => homeOf(env, "linux", () => "/home/known")
const isRoot = process.getuid?.() === 0

describe("the home", () => {
  it.each([
    ["is that of the environment", { HOME: "/somewhere" }, "/somewhere"],
    ["is the root directory, where that is the home", { HOME: "/" }, "/"],
    ["is that of the password database without HOME", {}, "/home/known"],
    ["is that of the password database where HOME is empty", { HOME: "" }, "/home/known"],
    ["is that of the password database where HOME is relative", { HOME: "home" }, "/home/known"]
  ])("%s", (_, env, home) => {
    assert.strictEqual(found(env), home)
  })

  it("is that of USERPROFILE on Windows, unless that is relative", () => {
    const ofWindows = (place: string) =>
      homeOf({ HOME: "/home/of/a/shell", USERPROFILE: place }, "win32", () => "C:\\known")
    assert.strictEqual(ofWindows("C:\\Users\\ada"), "C:\\Users\\ada")
    assert.strictEqual(ofWindows("Users\\ada"), "C:\\known")
  })

  it("is unknown for a user without a name", () => {
    assert.isUndefined(homeOf({}, "linux", () => undefined))
  })

  // Only root may give directories away.
  it.effect.skipIf(!isRoot)("is not that of the user who called sudo", () =>
    Effect.gen(function* () {
      const home = yield* makeDirectory
      chownSync(home, 1234, 1234)
      assert.strictEqual(found({ HOME: home }), home)
      assert.strictEqual(found({ HOME: home, SUDO_UID: "1235" }), home)
      assert.strictEqual(found({ HOME: home, SUDO_UID: "1234" }), "/home/known")
    })
  )
})

describe("the user's directories", () => {
  const inPlace = <A, E, R>(work: Effect.Effect<A, E, R>, home: string | undefined, env: object = {}) =>
    work.pipe(
      Effect.provideService(HostEnvironment, { ...env }),
      Effect.provideService(PasswordHome, () => home)
    )

  it.effect("are in the home of the password database without HOME, also where XDG_STATE_HOME is relative", () =>
    Effect.gen(function* () {
      const state = join("/home/known", ".local/state/reins")
      assert.strictEqual(yield* inPlace(findStateDirectory, "/home/known"), state)
      assert.strictEqual(yield* inPlace(findStateDirectory, "/home/known", { XDG_STATE_HOME: "state" }), state)
    })
  )

  const mac = "/Users/ada/Library/Application Support/reins"
  const windows = "C:\\Users\\ada"
  it.effect.each([
    ["state on macOS", "darwin", "state", { HOME: "/Users/ada" }, mac],
    ["configuration on macOS", "darwin", "config", { HOME: "/Users/ada" }, mac],
    ["state on macOS with XDG_STATE_HOME", "darwin", "state", { HOME: "/Users/ada", XDG_STATE_HOME: "/s" }, "/s/reins"],
    ["state on Windows", "win32", "state", { USERPROFILE: windows }, `${windows}\\AppData\\Local\\reins`],
    ["state on Windows with LOCALAPPDATA", "win32", "state", { LOCALAPPDATA: "D:\\local" }, "D:\\local\\reins"],
    ["configuration on Windows", "win32", "config", { USERPROFILE: windows }, `${windows}\\AppData\\Roaming\\reins`]
  ] as const)("are those of the platform: %s", ([_, platform, kind, env, place]) =>
    Effect.gen(function* () {
      const found = findUserDirectory(kind).pipe(Effect.provideService(Host, makeHost(platform, noProcessTable)))
      assert.strictEqual(yield* inPlace(found, undefined, env), place)
    })
  )

  it.effect("are unknown for a user without a name: nothing is configured, and a file has to be named", () =>
    Effect.gen(function* () {
      assert.match((yield* Effect.flip(inPlace(findStateDirectory, undefined))).message, /set HOME, or XDG_STATE_HOME/)
      assert.deepStrictEqual(yield* inPlace(readConfiguration(), undefined), { agents: {}, directories: {} })
      const named = readConfiguration({ file: "/missing/reins.toml" })
      assert.match((yield* Effect.flip(inPlace(named, undefined))).message, /does not exist/)
    })
  )
})
