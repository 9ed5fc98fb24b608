/**
 * Containers that share a directory and a state directory keep apart, although no pid of one means anything in the other
 * and each reaches the directory by a mount of its own.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { programPath } from "../../kit/agent.ts"
import { makeDirectory } from "../../kit/temporary.ts"

const program = programPath("settings-holds")
const base = '{ "servers": { "own": {} } }\n'

const makePlace = Effect.gen(function* () {
  const root = yield* makeDirectory
  const at = (...names: ReadonlyArray<string>) => join(root, ...names)
  for (const name of ["work/.agent", "state", "one", "two", "mount", "mountedState"])
    mkdirSync(at(name), { recursive: true })
  const file = at("work/.agent/settings.json")
  writeFileSync(file, base)
  return { at, file }
})

type Place = Effect.Success<typeof makePlace>

/** By the directory's own path, in a home of its own. */
const plain = ({ at }: Place, ...args: ReadonlyArray<string>) =>
  spawn(process.execPath, [program, at("work"), ...args], {
    env: { PATH: process.env["PATH"], HOME: at("one"), XDG_STATE_HOME: at("state") },
    stdio: ["pipe", "pipe", "inherit"]
  })

/** In another pid and mount namespace, by other mount points, in another home. */
const contained = ({ at }: Place, mountProc: boolean, ...args: ReadonlyArray<string>) => {
  const mounts = 'mount --bind "$1" "$2" && mount --bind "$3" "$4" && shift 4 && exec "$@"'
  const places = [at("work"), at("mount"), at("state"), at("mountedState")]
  const command = [process.execPath, program, at("mount"), ...args]
  const flags = mountProc ? ["-rmpf", "--mount-proc"] : ["-rmpf"]
  return spawn("unshare", [...flags, "sh", "-c", mounts, "sh", ...places, ...command], {
    env: { PATH: process.env["PATH"], HOME: at("two"), XDG_STATE_HOME: at("mountedState") },
    stdio: ["pipe", "pipe", "inherit"]
  })
}

const lineOf = (child: ChildProcess) => {
  const { stdout } = child
  return Effect.promise(async () =>
    String((await once(createInterface({ input: stdout ?? assert.fail() }), "line"))[0])
  )
}
const endOf = (child: ChildProcess) => {
  const end = once(child, "exit")
  return Effect.promise(() => end)
}

const canMount = spawnSync("unshare", ["-rmpf", "mount", "--bind", tmpdir(), tmpdir()]).status === 0
if (!canMount) console.warn("no namespaces can be made: containers on one directory are not tried")

describe.skipIf(!canMount)("two containers on one directory", () => {
  it.live.each([true, false])(
    "one that holds the file does not count as dead for the other (own /proc: %s)",
    (mountProc) =>
      Effect.gen(function* () {
        const place = yield* makePlace
        const first = contained(place, mountProc, "first")
        const firstEnd = endOf(first)
        assert.strictEqual(yield* lineOf(first), "held")
        const second = plain(place, "second")
        const secondEnd = endOf(second)
        assert.strictEqual(yield* lineOf(second), "held")
        const text = readFileSync(place.file, "utf8")
        assert.include(text, '"first"')
        assert.include(text, '"second"')
        for (const child of [first, second]) child.stdin?.write("back\n")
        assert.deepStrictEqual(yield* firstEnd, [0, null])
        assert.deepStrictEqual(yield* secondEnd, [0, null])
        assert.strictEqual(readFileSync(place.file, "utf8"), base)
        assert.deepStrictEqual(readdirSync(place.at("work/.agent")), ["settings.json"])
      })
  )

  it.live("many rounds at once lose nothing", () =>
    Effect.gen(function* () {
      const place = yield* makePlace
      const children = [contained(place, true, "a", "12"), plain(place, "b", "12"), contained(place, false, "c", "12")]
      for (const end of children.map(endOf)) assert.deepStrictEqual(yield* end, [0, null])
      assert.strictEqual(readFileSync(place.file, "utf8"), base)
      assert.deepStrictEqual(readdirSync(place.at("work/.agent")), ["settings.json"])
    })
  )
})
