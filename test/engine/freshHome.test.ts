/** A CLI whose home is fresh: of those that begin at once each waits for the one before, and never for long. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Fiber, type Scope } from "effect"
import { TestClock } from "effect/testing"
import { AgentRuntime } from "../../src/AgentRuntime.ts"
import { clis } from "../../src/cli/clis.ts"
import { databaseOf } from "../../src/cli/opencode/database.ts"
import { freshHomeOf } from "../../src/engine/freshHome.ts"
import { FileLocks } from "../../src/locks/fileLocks.ts"
import { LockRefused } from "../../src/locks/kernelLock.ts"
import { HostEnvironment } from "../../src/process/HostEnvironment.ts"
import { program } from "../kit/agent.ts"
import { makeDirectory } from "../kit/temporary.ts"

const inState = <A, E>(test: (directory: string) => Effect.Effect<A, E, Scope.Scope>) =>
  Effect.flatMap(makeDirectory, (directory) =>
    Effect.provideService(test(directory), HostEnvironment, { ...process.env, XDG_STATE_HOME: directory })
  )

/** Outcomes of six runs that begin at once in a home without its file. */
const sixAtOnce = (directory: string, isGuarded: boolean) => {
  const home = join(directory, "home.db")
  const { claude } = clis
  const cli = isGuarded ? { ...claude, homeFile: () => home } : claude
  const run = AgentRuntime.use((agent) => Effect.result(agent.run({ prompt: "hello" })))
  return Effect.all(
    Array.from({ length: 6 }, () => run),
    { concurrency: "unbounded" }
  ).pipe(
    Effect.map((results) => results.map(({ _tag }) => _tag)),
    Effect.provide(AgentRuntime.layer(cli, program("makes-home", `--home=${home}`))),
    Effect.provide(NodeServices.layer)
  )
}

const fresh = (file: string) =>
  Effect.flatMap(Clock.Clock, (clock) => freshHomeOf({ homeFile: () => file }, { env: {} }, clock) ?? Effect.undefined)

describe("a fresh home", () => {
  it.live("is made by one process at a time", () =>
    inState((directory) =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* sixAtOnce(directory, true), Array(6).fill("Success"))
      })
    )
  )

  it.live("is disturbed by several, where nobody waits", () =>
    inState((directory) =>
      Effect.gen(function* () {
        assert.include(yield* sixAtOnce(directory, false), "Failure")
      })
    )
  )

  it.live("is not fresh once its file is half a minute old, or where the CLI has none", () =>
    inState((directory) =>
      Effect.gen(function* () {
        const file = join(directory, "home.db")
        writeFileSync(file, "")
        const clock = yield* Clock.Clock
        const later = { ...clock, currentTimeMillisUnsafe: () => clock.currentTimeMillisUnsafe() + 31_000 }
        const at = (time: Clock.Clock) => freshHomeOf({ homeFile: () => file }, { env: {} }, time)
        assert.isUndefined(at(later))
        assert.isDefined(at(clock))
        assert.isUndefined(freshHomeOf({}, { env: {} }, clock))
        // It cannot be looked at.
        assert.isUndefined(freshHomeOf({ homeFile: () => join(file, "x\0") }, { env: {} }, clock))
      })
    )
  )

  it.live("is free again when its holder has released it", () =>
    inState((directory) =>
      Effect.gen(function* () {
        const file = join(directory, "home.db")
        const first = yield* fresh(file)
        const second = yield* Effect.forkChild(fresh(file), { startImmediately: true })
        assert.isUndefined(second.pollUnsafe())
        yield* first?.release ?? Effect.void
        assert.isDefined(yield* Fiber.join(second))
      })
    )
  )

  it.effect("holds nobody for longer than 20 s", () =>
    inState((directory) =>
      Effect.gen(function* () {
        const waiting = yield* Effect.forkChild(fresh(join(directory, "home.db")), { startImmediately: true })
        yield* TestClock.adjust("19 seconds")
        assert.isUndefined(waiting.pollUnsafe())
        yield* TestClock.adjust("1 second")
        assert.isDefined(yield* Fiber.join(waiting))
      }).pipe(
        Effect.provideService(FileLocks, {
          tryLock: () => Effect.succeed(false),
          missing: Effect.undefined,
          gates: new Map()
        })
      )
    )
  )

  it.effect("holds nobody where there are no locks", () =>
    inState((directory) =>
      fresh(join(directory, "home.db")).pipe(
        Effect.provideService(FileLocks, {
          tryLock: (file) => Effect.fail(new LockRefused({ file, problem: "none" })),
          missing: Effect.undefined,
          gates: new Map()
        })
      )
    )
  )
})

describe("the database of OpenCode", () => {
  it.each([
    [{ HOME: "/h" }, "/h/.local/share/opencode/opencode.db"],
    [{ HOME: "/h", XDG_DATA_HOME: "" }, "/h/.local/share/opencode/opencode.db"],
    [{ HOME: "/h", XDG_DATA_HOME: "/d" }, "/d/opencode/opencode.db"],
    [{ HOME: "/h", OPENCODE_DB: "own.db" }, "/h/.local/share/opencode/own.db"],
    [{ HOME: "/h", OPENCODE_DB: "/own.db" }, "/own.db"],
    [{ HOME: "/h", OPENCODE_DB: ":memory:" }, undefined],
    [{}, undefined]
  ])("of %j is %s", (env, file) => {
    assert.strictEqual(databaseOf(env), file)
  })
})
