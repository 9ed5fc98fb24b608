/** The user's home where HOME is missing, relative, another user's or closed. */
import { chownSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { readConfiguration } from "../../../src/api/Configuration.ts"
import { findStateDirectory, PasswordHome } from "../../../src/system/locks/stateDirectory.ts"
import { HostEnvironment } from "../../../src/system/process/HostEnvironment.ts"
import { homeOf } from "../../../src/system/process/homeDirectory.ts"
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

  it.effect("are unknown for a user without a name: nothing is configured, and a file has to be named", () =>
    Effect.gen(function* () {
      assert.match((yield* Effect.flip(inPlace(findStateDirectory, undefined))).message, /set HOME, or XDG_STATE_HOME/)
      assert.deepStrictEqual(yield* inPlace(readConfiguration(), undefined), { agents: {}, directories: {} })
      const named = readConfiguration({ file: "/missing/reins.toml" })
      assert.match((yield* Effect.flip(inPlace(named, undefined))).message, /does not exist/)
    })
  )
})
