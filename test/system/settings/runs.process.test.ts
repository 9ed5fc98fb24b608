/** A run of the CLI whose settings are lent finds the file as the user has it, also after a run that was killed. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { AgentRuntime } from "../../../src/agents/AgentRuntime.ts"
import { clis } from "../../../src/agents/Agents.ts"
import { FileLocks } from "../../../src/system/locks/fileLocks.ts"
import { PasswordHome } from "../../../src/system/locks/stateDirectory.ts"
import { HostEnvironment } from "../../../src/system/process/HostEnvironment.ts"
import { leaseSettings } from "../../../src/system/settings/lease.ts"
import { FakeCli, Step } from "../../../src/testing.ts"
import { InstalledFake } from "../../../src/testingEffect.ts"
import { until } from "../../kit/processes.ts"
import { makeDirectory } from "../../kit/temporary.ts"

const cli = clis.gemini
const patch = { mcpServers: { left: { command: "left-server" } } }

/** A dead host: its locks are free. */
const killedHost: FileLocks = {
  tryLock: () => Effect.succeed(true),
  missing: Effect.succeed(undefined),
  gates: new Map()
}

const run = (directory: string) =>
  AgentRuntime.use((agent) => Stream.runDrain(agent.execute({ prompt: "hello", workingDirectory: directory }))).pipe(
    Effect.provide(InstalledFake.layer(FakeCli.gemini([Step.exit(0)])))
  )

describe("the next run", () => {
  it.live.each([
    ["with a file of the user", '{ "theme": "dark" } // mine\n'] as const,
    ["without one", undefined] as const
  ])("restores what a killed one has left, although it has nothing to add: %s", ([_, before]) =>
    Effect.gen(function* () {
      const directory = yield* makeDirectory
      const folder = join(directory, ".gemini")
      const file = join(folder, "settings.json")
      if (before !== undefined) {
        mkdirSync(folder)
        writeFileSync(file, before)
      }
      const scope = leaseSettings({ directory, path: cli.settingsPath ?? [], patch, secret: false })
      // Never released: the host is gone.
      yield* Effect.uninterruptible(Effect.forkDetach(Effect.scoped(Effect.andThen(scope, Effect.never)))).pipe(
        Effect.provideService(FileLocks, killedHost)
      )
      yield* until(() => existsSync(file) && readFileSync(file, "utf8").includes("left-server"))
      yield* run(directory)
      assert.deepStrictEqual(existsSync(file) ? readFileSync(file, "utf8") : undefined, before)
      assert.deepStrictEqual(readdirSync(directory), before === undefined ? [] : [".gemini"])
    })
  )
})

it.live("a run that cannot be kept apart from others is told so by a warning, and goes on", () =>
  Effect.gen(function* () {
    const directory = yield* makeDirectory
    const mcpServers = { mine: { command: "mine" } }
    const events = yield* AgentRuntime.use((agent) =>
      Stream.runCollect(agent.execute({ prompt: "hello", workingDirectory: directory, mcpServers }))
    ).pipe(
      Effect.provide(InstalledFake.layer(FakeCli.gemini([Step.exit(0)]))),
      Effect.provideService(HostEnvironment, {}),
      Effect.provideService(PasswordHome, () => undefined)
    )
    const warnings = events.filter((event) => event.type === "notice" && event.kind === "warning")
    // The guard of sessions gives its own, once a host.
    const ofSettings = warnings.filter((warning) => JSON.stringify(warning).includes("settings files"))
    assert.lengthOf(ofSettings, 1)
    assert.match(JSON.stringify(ofSettings), /no state directory is known: set HOME, or XDG_STATE_HOME/)
    assert.deepStrictEqual(readdirSync(directory), [])
  })
)

const readingSettings = FakeCli.gemini([Step.text("done")])

describe("a file that cannot be changed", () => {
  const broken = "{ this is not JSON"

  const make = Effect.map(makeDirectory, (directory) => {
    mkdirSync(join(directory, ".gemini"))
    writeFileSync(join(directory, ".gemini", "settings.json"), broken)
    return directory
  })

  const events = (params: { readonly workingDirectory: string; readonly maxTurns?: number }) =>
    AgentRuntime.use((agent) => Stream.runCollect(agent.execute({ prompt: "hello", ...params }))).pipe(
      Effect.provide(InstalledFake.layer(readingSettings))
    )

  it.live("does not keep a run from starting that needs nothing of it: a warning says what may be lost", () =>
    Effect.gen(function* () {
      const workingDirectory = yield* make
      const all = yield* events({ workingDirectory })
      assert.include(JSON.stringify(all), "may delete sessions that were resumed")
      assert.include(JSON.stringify(all.at(-1)), '"outcome":"completed"')
      assert.strictEqual(readFileSync(join(workingDirectory, ".gemini", "settings.json"), "utf8"), broken)
    })
  )

  it.live("keeps one from starting that does", () =>
    Effect.gen(function* () {
      const workingDirectory = yield* make
      const all = yield* events({ workingDirectory, maxTurns: 3 })
      assert.include(JSON.stringify(all), "settings_unreadable")
    })
  )
})
