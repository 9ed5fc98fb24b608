/** The system refuses what is to be read, run or written: each run ends for a reason that names the file and the cause. */
import { chmodSync, mkdirSync } from "node:fs"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { makeDirectory } from "../kit/temporary.ts"
import { allOf, assertRefused, has, nobody, patienceMs, refuse, shell } from "./kit/refusing.ts"

it.live(
  "permissions (EACCES): of directories, of the command, of what is to be written",
  () =>
    Effect.gen(function* () {
      const directory = yield* makeDirectory
      chmodSync(directory, 0o755)
      const modes = { closed: 0o000, unreadable: 0o111, unsearchable: 0o444, readonly: 0o555 }
      for (const [name, mode] of Object.entries(modes)) {
        mkdirSync(join(directory, name))
        chmodSync(join(directory, name), mode)
      }
      yield* Effect.addFinalizer(() =>
        Effect.sync(() => {
          for (const name of Object.keys(modes)) chmodSync(join(directory, name), 0o755)
        })
      )
      const { runs, others } = yield* refuse("permissions", directory, [], nobody)
      const at = (name: string) => join(directory, name)
      for (const name of ["closed", "unreadable", "unsearchable"]) {
        for (const run of allOf(runs, name)) {
          assertRefused(run, "invalid_params", "invalid_request", `"${at(name)}" cannot be read: permission denied`)
        }
      }
      for (const run of allOf(runs, "command")) {
        assertRefused(
          run,
          "spawn_failed",
          "spawn",
          `"${at("closed/agent")}"`,
          "not a program that may be run",
          "(EACCES)"
        )
      }
      for (const run of allOf(runs, "record")) {
        assertRefused(run, "invalid_params", "invalid_request", `"${at("closed/record")}" may not be written`)
      }
      for (const run of allOf(runs, "settings")) {
        assertRefused(run, "settings_unreadable", "invalid_request", at("readonly"), "permission denied (EACCES)")
      }
      for (const run of allOf(runs, "private files")) {
        assertRefused(run, "spawn_failed", "spawn", "private files", at("closed"), "permission denied (EACCES)")
      }
      assert.deepStrictEqual(others, [])
    }),
  patienceMs
)

const mayMount = has("unshare", "-rm", "mount", "-t", "tmpfs", "tmpfs", "/mnt")
if (!mayMount) console.warn("no file system may be mounted: full disks are only tried with a disk that is made up")

it.live.skipIf(!mayMount)(
  "disk (ENOSPC): what must be written is refused by name, what need not be is done without",
  () =>
    Effect.gen(function* () {
      const disk = yield* makeDirectory
      const mount = `mount -t tmpfs -o size=1m tmpfs '${disk}' && export TMPDIR='${disk}'`
      const { runs, others } = yield* refuse("disk", disk, ["unshare", "-rm", ...shell(mount)])
      const noSpace = "no space left on the disk (ENOSPC)"
      for (const run of allOf(runs, "private files")) {
        assertRefused(run, "spawn_failed", "spawn", "private files", noSpace, `"${disk}"`)
      }
      for (const run of allOf(runs, "settings")) {
        assertRefused(run, "settings_unreadable", "invalid_request", disk, noSpace)
      }
      for (const run of [...allOf(runs, "no private files"), ...allOf(runs, "record")]) {
        assert.strictEqual(run.reason, "completed")
      }
      const [pause, left] = others
      assert.isAbove(pause?.delivered ?? 0, 30_000)
      assert.strictEqual(pause?.delivered, pause?.printed)
      assert.deepStrictEqual(left?.files, ["fill", "record", "record.times"])
    }),
  patienceMs
)
