/** The pipes of a child are read directly where possible, and by the platform's streams otherwise. */
import type { ChildProcess } from "node:child_process"
import { subscribe, unsubscribe } from "node:diagnostics_channel"
import { once } from "node:events"
import { assert, describe, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, Stream } from "effect"
import { ChildProcessSpawner, ChildProcess as Command } from "effect/process"
import { nodePlatform } from "../../../src/system/process/Platform.ts"
import { type Piped, spawnPiped } from "../../../src/system/process/pipes.ts"

type Spawner = ChildProcessSpawner.ChildProcessSpawner["Service"]
type Handle = ChildProcessSpawner.ChildProcessHandle

/** The handle as a spawner of its own making gives it; the child is the one that Node shows. */
const spawned = Effect.fnUntraced(function* (
  script: string,
  change: (handle: Handle, child: ChildProcess) => Effect.Effect<Handle> = Effect.succeed
) {
  const platform = yield* ChildProcessSpawner.ChildProcessSpawner
  let child: ChildProcess | undefined
  const see = (message: unknown) => {
    child ??= (message as { readonly process: ChildProcess }).process // as Node documents the channel
  }
  subscribe("child_process", see)
  yield* Effect.addFinalizer(() => Effect.sync(() => unsubscribe("child_process", see)))
  const spawner: Spawner = {
    ...platform,
    spawn: (command) =>
      Effect.flatMap(platform.spawn(command), (handle) => change(handle, child ?? assert.fail("it was made")))
  }
  const piped = yield* spawnPiped(spawner, Command.make("/bin/sh", ["-c", script], { stdin: "pipe" }))
  return { ...piped, child: child ?? assert.fail("it was made") }
})

const textOf = (read: Piped["readStdout"]) =>
  Effect.callback<string>((resume) => {
    const chunks: Array<Uint8Array> = []
    const close = read(
      (chunk) => chunks.push(chunk),
      () => resume(Effect.succeed(Buffer.concat(chunks).toString()))
    )
    return Effect.sync(close)
  })

const unreadable = (handle: Handle): Handle =>
  ChildProcessSpawner.makeHandle({ ...handle, stdout: Stream.die("not to be read"), stderr: Stream.die("nor this") })

describe("the pipes of a child", () => {
  layer(nodePlatform, { excludeTestServices: true })((it) => {
    it.effect("are read directly, without the platform's streams", () =>
      Effect.gen(function* () {
        const script = "printf one; printf two >&2; sleep 0.1; printf three"
        const { readStdout, readStderr } = yield* spawned(script, (handle) => Effect.succeed(unreadable(handle)))
        const texts = yield* Effect.all([textOf(readStdout), textOf(readStderr)], { concurrency: 2 })
        assert.deepStrictEqual(texts, ["onethree", "two"])
      })
    )

    it.effect("are read by the platform's streams where no child of that pid was seen", () =>
      Effect.gen(function* () {
        const stranger = (handle: Handle) =>
          Effect.succeed(ChildProcessSpawner.makeHandle({ ...handle, pid: ChildProcessSpawner.ProcessId(2 ** 22 + 1) }))
        const { readStdout } = yield* spawned("printf one; sleep 0.1; printf two", stranger)
        assert.strictEqual(yield* textOf(readStdout), "onetwo")
      })
    )

    it.effect.each([
      ["something of it was read", "printf one; read -r line; printf two", "onetwo", "data"],
      ["it has ended", "exec >&-; read -r line", "", "end"]
    ] as const)("are read by the platform's streams where %s before the handle came", ([_, script, printed, event]) =>
      Effect.gen(function* () {
        const { readStdout, child } = yield* spawned(script, (handle, { stdout }) =>
          Effect.as(
            Effect.promise(() => once(stdout ?? assert.fail("it has one"), event)),
            handle
          )
        )
        child.stdin?.end("\n")
        assert.strictEqual(yield* textOf(readStdout), printed)
      })
    )

    it.effect("end at an error, which is not thrown elsewhere", () =>
      Effect.gen(function* () {
        const { readStdout, child } = yield* spawned("printf one; read -r line")
        const reading = yield* Effect.forkChild(textOf(readStdout), { startImmediately: true })
        const stdout = child.stdout ?? assert.fail("it has one")
        yield* Effect.promise(() => once(stdout, "data"))
        stdout.destroy(new Error("EIO"))
        assert.strictEqual(yield* Fiber.join(reading), "one")
      })
    )

    it.effect("are closed when their reader is interrupted", () =>
      Effect.gen(function* () {
        const { readStdout, child } = yield* spawned("read -r line")
        const reading = yield* Effect.forkChild(textOf(readStdout), { startImmediately: true })
        yield* Fiber.interrupt(reading)
        assert.isTrue(child.stdout?.destroyed)
      })
    )

    it.effect.each([
      ["by its code", "exit 3", { code: 3 }],
      ["by its signal", "kill -TERM $$", { signal: "SIGTERM" }]
    ] as const)("tell the exit %s, also afterwards", ([_, script, expected]) =>
      Effect.gen(function* () {
        const { exit } = yield* spawned(script)
        assert.deepStrictEqual(yield* Deferred.await(exit), expected)
        assert.isTrue(Deferred.isDoneUnsafe(exit))
        assert.deepStrictEqual(yield* Deferred.await(exit), expected)
      })
    )

    it.effect("tell an exit that was before the handle came", () =>
      Effect.gen(function* () {
        const { exit } = yield* spawned("exit 3", (handle, child) =>
          Effect.as(
            Effect.promise(() => once(child, "exit")),
            handle
          )
        )
        assert.isTrue(Deferred.isDoneUnsafe(exit))
        assert.deepStrictEqual(yield* Deferred.await(exit), { code: 3 })
      })
    )
  })
})
