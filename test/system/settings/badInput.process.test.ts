/** Anything else in place of a settings file, its journal or the state directory is refused by name, never waited for. */
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { leaseSettings } from "../../../src/system/settings/lease.ts"
import { recoverSettings } from "../../../src/system/settings/recover.ts"
import { makeDirectory } from "../../kit/temporary.ts"

const path = [".gemini", "settings.json"]
const patch = { mcpServers: { mine: { command: "mine" } } }

const makeProject = Effect.gen(function* () {
  const directory = yield* makeDirectory
  mkdirSync(join(directory, ".gemini"))
  return { directory, file: join(directory, ...path) }
})

const provided = <A, E, R>(self: Effect.Effect<A, E, R>) => Effect.provide(self, NodeServices.layer)

/** A run that has to be refused within five seconds, whatever it waits for. */
const refusalOf = (directory: string) =>
  leaseSettings({ directory, path, patch, secret: false }).pipe(
    Effect.scoped,
    Effect.flip,
    Effect.map(({ message }) => message),
    Effect.timeout("5 seconds"),
    provided
  )

const mebibyte = 1024 * 1024

const kinds: ReadonlyArray<readonly [string, (file: string) => unknown, RegExp]> = [
  ["a FIFO", (file) => spawnSync("mkfifo", [file]), /is not a file/],
  ["a directory", (file) => mkdirSync(file), /is not a file/],
  ["a link to a device", (file) => symlinkSync("/dev/zero", file), /is a link that leaves its directory/],
  [
    "a link to a FIFO beside it",
    (file) => {
      spawnSync("mkfifo", [`${file}.fifo`])
      symlinkSync("settings.json.fifo", file)
    },
    /is not a file/
  ],
  ["6 MiB", (file) => writeFileSync(file, `{"a":"${"x".repeat(6 * mebibyte)}"}`), /is larger than 5 MiB/],
  ["no JSON", (file) => writeFileSync(file, "theme: dark"), /is not a JSON object/]
]

describe("a settings file that is", () => {
  it.live.each(kinds)("%s: a run is refused at once, by name", ([_, make, problem]) =>
    Effect.gen(function* () {
      const { directory, file } = yield* makeProject
      make(file)
      const message = yield* refusalOf(directory)
      assert.include(message, file)
      assert.match(message, problem)
    })
  )

  it.live.each(kinds)("%s: a recovery ends at once", ([_, make]) =>
    Effect.gen(function* () {
      const { directory, file } = yield* makeProject
      make(file)
      yield* recoverSettings(directory, path).pipe(Effect.exit, Effect.timeout("5 seconds"), provided)
    })
  )

  it.live("a socket: a run is refused at once, by name", () =>
    Effect.gen(function* () {
      const { directory, file } = yield* makeProject
      const server = createServer().listen(file)
      yield* Effect.promise(() => once(server, "listening"))
      yield* Effect.addFinalizer(() => Effect.sync(() => server.close()))
      assert.match(yield* refusalOf(directory), /is not a file/)
    })
  )
})

const program = fileURLToPath(new URL("../../../dist/program.js", import.meta.url))

/** Ends by itself, whatever stands there. */
const doctorIn = (cwd: string) =>
  Effect.promise(async () => {
    const child = spawn(process.execPath, [program, "doctor", "--json"], { cwd, stdio: "ignore" })
    const timer = setTimeout(() => child.kill("SIGKILL"), 15_000)
    const [, signal] = await once(child, "exit")
    clearTimeout(timer)
    return signal
  })

describe("reins doctor ends although", () => {
  const traps: ReadonlyArray<readonly [string, (file: string) => unknown]> = [
    ["the settings file is a FIFO", (file) => spawnSync("sh", ["-c", 'rm "$1" && mkfifo "$1"', "sh", file])],
    ["the old journal is a FIFO", (file) => spawnSync("mkfifo", [`${file}.reins-journal`])],
    ["the old journal is a link to a device", (file) => symlinkSync("/dev/zero", `${file}.reins-journal`)]
  ]

  it.live.each(traps)("%s", ([_, make]) =>
    Effect.gen(function* () {
      const { directory, file } = yield* makeProject
      writeFileSync(file, "{}")
      make(file)
      assert.isNull(yield* doctorIn(directory))
    })
  )
})
