/** One holder at a time among fibers, processes and pid namespaces; the kernel releases the lock of a dead one. */
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { readdirSync, renameSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { FileLocks, isLocked, withLock } from "../../../src/system/locks/fileLocks.ts"
import { tryKernelLock } from "../../../src/system/locks/kernelLock.ts"
import { programPath } from "../../kit/agent.ts"
import { makeDirectory } from "../../kit/temporary.ts"

const program = programPath("lock-enters")

const makeFile = Effect.map(makeDirectory, (directory) => join(directory, "lock"))

/** A process that holds the lock until the end of the test. */
const holderOf = (file: string) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const child = spawn(process.execPath, [program, file], { stdio: ["ignore", "pipe", "inherit"] })
      const ended = once(child, "exit")
      await once(child.stdout, "data")
      return { child, ended: Effect.promise(() => ended) }
    }),
    ({ child, ended }) => {
      child.kill("SIGKILL")
      return ended
    }
  )

describe("a lock of the kernel", () => {
  it.live("is held by one of two fibers until its scope closes; its file stays, and stays empty", () =>
    Effect.gen(function* () {
      const file = yield* makeFile
      yield* Effect.scoped(
        Effect.gen(function* () {
          assert.isTrue(yield* tryKernelLock(file))
          assert.isFalse(yield* Effect.scoped(tryKernelLock(file)))
          // To have looked at it does not drop it (POSIX drops a lock with any handle that is closed).
          assert.isTrue(yield* isLocked(file))
          assert.isTrue(yield* isLocked(file))
        })
      )
      assert.isFalse(yield* isLocked(file))
      assert.strictEqual(statSync(file).size, 0)
      assert.strictEqual(statSync(file).mode & 0o777, 0o600)
      assert.deepStrictEqual(readdirSync(join(file, "..")), ["lock"])
    })
  )

  it.live("is not refused because another process removes its file meanwhile", () =>
    Effect.gen(function* () {
      const file = yield* makeFile
      const churn = `const fs = require("node:fs"); console.log()
        while (true) { fs.closeSync(fs.openSync(process.argv[1], "a")); fs.unlinkSync(process.argv[1]) }`
      const child = yield* Effect.acquireRelease(
        Effect.sync(() => spawn(process.execPath, ["-e", churn, file], { stdio: ["ignore", "pipe", "inherit"] })),
        (started) => Effect.sync(() => started.kill("SIGKILL"))
      )
      yield* Effect.promise(() => once(child.stdout, "data"))
      const problems = new Set<string>()
      for (let time = 0; time < 1_000; time += 1) {
        const taken = yield* Effect.result(Effect.scoped(tryKernelLock(file)))
        if (taken._tag === "Failure") problems.add(taken.failure.problem)
      }
      problems.delete("it was replaced during each attempt")
      assert.deepStrictEqual([...problems], [])
    }).pipe(Effect.scoped)
  )

  it.live("admits many fibers one after the other", () =>
    Effect.gen(function* () {
      const file = yield* makeFile
      // Each with gates of its own, as in processes of their own.
      let inside = 0
      const visit = Effect.gen(function* () {
        inside += 1
        assert.strictEqual(inside, 1)
        yield* Effect.sleep(1)
        inside -= 1
      })
      const visitor = () =>
        Effect.provideService(withLock(file, visit), FileLocks, {
          tryLock: tryKernelLock,
          missing: Effect.succeed(undefined),
          gates: new Map()
        })
      yield* Effect.all(Array.from({ length: 8 }, visitor), { concurrency: "unbounded" })
    })
  )

  it.live("can be waited for with interruption, which delays no other fiber", () =>
    Effect.gen(function* () {
      const file = yield* makeFile
      const entered = yield* Deferred.make<void>()
      const first = yield* Effect.forkChild(
        withLock(file, Effect.andThen(Deferred.succeed(entered, undefined), Effect.sleep("1 second")))
      )
      yield* Deferred.await(entered)
      const second = yield* Effect.forkChild(withLock(file, Effect.die("it is not its turn")))
      yield* Fiber.interrupt(second)
      assert.isUndefined(first.pollUnsafe())
      yield* Fiber.join(first)
      yield* withLock(file, Effect.void)
    })
  )

  it.live("stays with a stopped process until that is killed", () =>
    Effect.gen(function* () {
      const file = yield* makeFile
      const { child, ended } = yield* holderOf(file)
      assert.isTrue(yield* isLocked(file))
      child.kill("SIGSTOP")
      assert.isTrue(yield* isLocked(file))
      child.kill("SIGKILL")
      yield* ended
      assert.isFalse(yield* isLocked(file))
    })
  )

  it.live("belongs to the file at the path, not to one that was moved away", () =>
    Effect.gen(function* () {
      const file = yield* makeFile
      yield* holderOf(file)
      renameSync(file, `${file}.old`)
      assert.isTrue(yield* Effect.scoped(tryKernelLock(file)))
      assert.isTrue(yield* isLocked(`${file}.old`))
    })
  )

  it.live.each([
    ["a link", (file: string) => symlinkSync("elsewhere", file), /is not an empty file|ENOENT/],
    ["a FIFO", (file: string) => spawnSync("mkfifo", [file]), /is not an empty file/],
    ["another program's file", (file: string) => writeFileSync(file, "mine"), /is not an empty file/]
  ] as const)("is refused where %s is at its path", ([_, make, problem]) =>
    Effect.gen(function* () {
      const file = yield* makeFile
      make(file)
      const error = yield* Effect.flip(Effect.scoped(tryKernelLock(file)))
      assert.strictEqual(error._tag, "LockRefused")
      assert.match(error.message, problem)
      assert.include(error.message, file)
    })
  )
})

const canUnshare = spawnSync("unshare", ["-rpf", "true"]).status === 0
if (!canUnshare) console.warn("no pid namespace can be made: locks between containers are not tried")

it.live.skipIf(!canUnshare)("is held by one process at a time across pid namespaces", () =>
  Effect.gen(function* () {
    const file = yield* makeFile
    const own = [process.execPath, program, file, "40"]
    const ways = [own, ["unshare", "-rpf", ...own], ["unshare", "-rpf", "--mount-proc", ...own]]
    const ends = ways.map(([command = "", ...args]) => once(spawn(command, args, { stdio: "inherit" }), "exit"))
    for (const end of ends) assert.deepStrictEqual(yield* Effect.promise(() => end), [0, null])
  })
)
