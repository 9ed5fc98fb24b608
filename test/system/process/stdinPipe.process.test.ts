/** The stdin of real processes, which read it, close it, or do neither. */
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { ChildProcessSpawner, ChildProcess as Command } from "effect/process"
import { nodePlatform } from "../../../src/system/process/Platform.ts"
import { spawnPiped } from "../../../src/system/process/pipes.ts"
import { makeStdin } from "../../../src/system/process/stdin.ts"
import { until } from "../../kit/processes.ts"

const piped = (script: string) =>
  Effect.gen(function* () {
    const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
    return yield* spawnPiped(spawner, Command.make("/bin/sh", ["-c", script], { stdin: "pipe" }))
  })

describe("the stdin of a process", () => {
  layer(nodePlatform, { excludeTestServices: true })((it) => {
    it.effect("gets all texts, and its end", () =>
      Effect.gen(function* () {
        const { readStdout, writeStdin } = yield* piped("cat; echo over")
        const stdin = makeStdin()
        stdin.write("é")
        writeStdin(stdin)
        stdin.write("x".repeat(1_000_000))
        stdin.end()
        const chunks: Array<Uint8Array> = []
        yield* Effect.callback<void>(
          (resume) =>
            void readStdout(
              (chunk) => chunks.push(chunk),
              () => resume(Effect.void)
            )
        )
        assert.strictEqual(Buffer.concat(chunks).toString(), `é${"x".repeat(1_000_000)}over\n`)
      })
    )

    it.effect("is closed by a process that closes its own, which is not a failure", () =>
      Effect.gen(function* () {
        const { writeStdin, handle } = yield* piped("exec <&-; exec sleep 5")
        const stdin = makeStdin()
        writeStdin(stdin)
        yield* until(() => {
          stdin.write("unread text\n")
          return !stdin.isOpen()
        })
        assert.isTrue(yield* handle.isRunning)
      })
    )

    it.effect("is bounded while the process reads nothing", () =>
      Effect.gen(function* () {
        const { writeStdin } = yield* piped("exec sleep 5")
        const stdin = makeStdin(1_000_000)
        writeStdin(stdin)
        const problems = Array.from({ length: 5 }, () => stdin.write("x".repeat(600_000)))
        assert.deepStrictEqual(
          problems.map((problem) => problem === undefined),
          [true, true, false, false, false]
        )
      })
    )
  })
})
