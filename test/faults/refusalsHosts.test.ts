/** The system refuses the host more files, more processes, its own directory: runs say so, and the host lives on. */
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { makeDirectory } from "../kit/temporary.ts"
import { allOf, assertRefused, has, nobody, patienceMs, refuse, shell } from "./kit/refusing.ts"

it.live(
  "files to open (EMFILE): each run says so or completes, whatever number is left, and nothing stays",
  () =>
    Effect.gen(function* () {
      const { runs, others } = yield* refuse("descriptors", yield* makeDirectory, shell("ulimit -n 64"))
      const refused = runs.filter(({ reason }) => reason !== "completed")
      assert.isAtLeast(refused.length, 4 * 3)
      for (const run of refused) {
        assertRefused(run, run.category === "spawn" ? "spawn_failed" : "settings_unreadable", run.category ?? "")
        assert.include(run.message, "this process cannot open more files, see `ulimit -n` (EMFILE)")
      }
      for (const run of allOf(runs, "all free")) assert.strictEqual(run.reason, "completed")
      assert.deepStrictEqual(others, [{ name: "survivors", pids: [] }])
    }),
  patienceMs
)

it.live(
  "its own directory (removed): what is relative to it is refused, what is absolute runs",
  () =>
    Effect.gen(function* () {
      const directory = join(yield* makeDirectory, "gone")
      mkdirSync(directory)
      const { runs, others } = yield* refuse("own directory", directory)
      for (const name of ["no directory given", "a relative one", "a relative command"]) {
        for (const run of allOf(runs, name)) {
          assertRefused(
            run,
            "invalid_params",
            "invalid_request",
            "is relative to the host's working directory, which was removed"
          )
        }
      }
      for (const run of allOf(runs, "absolute ones")) assert.strictEqual(run.reason, "completed")
      assert.deepStrictEqual(others, [])
    }),
  patienceMs
)

const mayLimit = has("prlimit", "--version")
if (!mayLimit) console.warn("no prlimit: that processes are refused is not tried")

it.live.skipIf(!mayLimit)(
  "processes (EAGAIN): each run says so",
  () =>
    Effect.gen(function* () {
      const { runs, others } = yield* refuse("processes", "-", [], nobody)
      for (const run of allOf(runs, "no more processes")) {
        assertRefused(
          run,
          "spawn_failed",
          "spawn",
          '"/bin/sh"',
          "no more processes are allowed, see `ulimit -u` (EAGAIN)"
        )
      }
      assert.deepStrictEqual(others, [])
    }),
  patienceMs
)
