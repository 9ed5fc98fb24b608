/** Short questions to programs, however those behave. */
import { existsSync, readFileSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { NodeServices } from "@effect/platform-node"
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { ask } from "../../../src/system/process/probe.ts"

const request = (script: string) => ask({ path: "/bin/sh", args: ["-c", script], timeout: "30 seconds" })

describe("ask", () => {
  layer(NodeServices.layer, { excludeTestServices: true })((it) => {
    it.effect("gives what it printed, and its exit code", () =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* request("echo 1.2.3; exit 4"), {
          _tag: "Answered",
          exitCode: 4,
          stdout: "1.2.3\n",
          stderr: "",
          isCut: false
        })
      })
    )

    it.effect("reads a bounded part of endless output", () =>
      Effect.gen(function* () {
        const answer = yield* ask({ path: "/bin/sh", args: ["-c", "yes | head -c 50000000"], timeout: "30 seconds" })
        assert.strictEqual(answer._tag === "Answered" ? answer.stdout.length : 0, 10_000)
      })
    )

    it.effect("explains why a program cannot be started", () =>
      Effect.gen(function* () {
        const { _tag, ...answer } = yield* ask({ path: "/dev/null", args: [], timeout: "30 seconds" })
        assert.deepStrictEqual(
          [_tag, answer],
          ["Unanswered", { problem: "cannot be started: permission denied (EACCES)" }]
        )
      })
    )

    it.effect("does not wait for a program that hangs, and leaves nothing running", () =>
      Effect.gen(function* () {
        const folder = yield* Effect.acquireRelease(
          Effect.promise(() => mkdtemp(join(tmpdir(), "reins-probe-"))),
          (made) => Effect.promise(() => rm(made, { recursive: true }))
        )
        const pids = join(folder, "pids")
        const script = `trap "" TERM; sleep 1000 & echo $$ $! > ${pids}; wait; wait`
        const answer = yield* ask({ path: "/bin/sh", args: ["-c", script], timeout: "1 second" })
        assert.deepStrictEqual(answer, { _tag: "Unanswered", problem: "gave no answer within 1s" })
        for (const pid of readFileSync(pids, "utf8").trim().split(" ")) {
          assert.isFalse(existsSync(`/proc/${pid}/cwd`), pid)
        }
      })
    )
  })
})
