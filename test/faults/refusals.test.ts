/**
 * What the operating system refuses is told by an error that names the culprit and the cure, for all four CLIs; the host
 * lives on. The causes are real ones; a full disk is a small one of the test's own.
 */
import { spawnSync } from "node:child_process"
import { chmodSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Stream } from "effect"
import type { AgentExecuteParams } from "../../src/AgentExecuteParams.ts"
import type { AgentOptions } from "../../src/AgentOptions.ts"
import { AgentRuntime } from "../../src/AgentRuntime.ts"
import { clis } from "../../src/agents.ts"
import type { Cli } from "../../src/cli/Cli.ts"
import { nodePlatform } from "../../src/process/nodePlatform.ts"
import { program } from "../kit/agent.ts"
import { errorOf, resultOf } from "../kit/events.ts"
import { makeDirectory } from "../kit/temporary.ts"

const collect = (cli: Cli, options: AgentOptions, params: Partial<AgentExecuteParams> = {}) =>
  Stream.unwrap(AgentRuntime.useSync((agent) => agent.execute({ prompt: "hello", ...params }))).pipe(
    Stream.provide(AgentRuntime.layer(cli, options).pipe(Layer.provide(nodePlatform))),
    Stream.runCollect
  )

/** Of a file in a directory of the test. */
const fileOf = (content: string, mode: number) =>
  Effect.map(makeDirectory, (directory) => {
    const file = join(directory, "cli")
    writeFileSync(file, content)
    chmodSync(file, mode)
    return file
  })

describe.each(Object.values(clis))("$id", (cli) => {
  it.live.each([
    ["that may not be executed", "#!/bin/sh\n", 0o644, "it is no program that may be run: permission denied (EACCES)"],
    [
      "whose interpreter is missing",
      "#!/no/such/interpreter\n",
      0o755,
      "it is there, but not what it needs to run: the interpreter of its first line, or a loader"
    ]
  ] as const)("a program %s", ([_, content, mode, problem]) =>
    Effect.gen(function* () {
      const command = yield* fileOf(content, mode)
      const events = yield* collect(cli, { command })
      assert.strictEqual(resultOf(events).reason, "spawn_failed")
      assert.deepInclude(errorOf(events), {
        message: `"${command}" could not be started: ${problem}`,
        category: "spawn",
        retryable: false
      })
    })
  )

  it.live.each(["/no/such/program", "/etc/passwd/program", "no-such-program"])(
    "a program that is not there: %s",
    (command) =>
      Effect.gen(function* () {
        const events = yield* collect(cli, { command })
        assert.strictEqual(resultOf(events).reason, "not_installed")
        assert.include(errorOf(events).message, cli.install)
      })
  )

  it.live("more variables than a process can have", () =>
    Effect.gen(function* () {
      const env = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`V${index}`, "x".repeat(100_000)]))
      const events = yield* collect(cli, program("speaks"), { env })
      assert.strictEqual(resultOf(events).reason, "command_line_too_long")
      assert.match(errorOf(events).message, /^all arguments and the environment has 4\d{6} bytes; at most 2097152/)
    })
  )

  it.live("a disk that is full from the start is no place for a recording", () =>
    Effect.gen(function* () {
      const events = yield* collect(cli, program("speaks"), { record: "/dev/full" })
      assert.strictEqual(resultOf(events).reason, "invalid_params")
      assert.strictEqual(
        errorOf(events).message,
        'record: "/dev/full" cannot be written: no space is left on the disk (ENOSPC)'
      )
    })
  )
})

const host = fileURLToPath(new URL("hosts/refused.ts", import.meta.url))

/** How the run of a host ends that a shell has prepared: the script execs `"$@"`. */
const hostAfter = (shell: ReadonlyArray<string>, order: object) => {
  const [command = "", ...args] = [...shell, "sh", process.execPath, host]
  const { stdout, stderr, status } = spawnSync(command, args, { encoding: "utf8", input: JSON.stringify(order) })
  assert.strictEqual(status, 0, stderr)
  return { ...JSON.parse(stdout), stderr }
}

const fewFiles = ["sh", "-c", 'ulimit -n 80; exec "$@"']

describe("a host that has no file left to open", () => {
  it.each([0, 1, 3])("says so, may be asked again, and starts a run later: %i left", (freeFiles) => {
    const told = hostAfter(fewFiles, { id: "claude", options: program("speaks"), freeFiles })
    assert.strictEqual(told.result, "spawn_failed")
    assert.deepInclude(told.error, { category: "spawn", retryable: true })
    assert.include(
      told.error.message,
      "could not be started: this process may open no more files, see `ulimit -n` (EMFILE)"
    )
    assert.strictEqual(told.afterwards, "completed")
    assert.strictEqual(told.stderr, "")
  })
})

/** A disk of so many bytes, in a namespace of its own, is the host's directory for temporary files. */
const onDisk = (directory: string, size: string) => [
  "unshare",
  "-rm",
  "sh",
  "-c",
  `mount -t tmpfs -o size=${size} tmpfs ${directory} && TMPDIR=${directory} exec "$@"`
]

const canMount = spawnSync("unshare", ["-rm", "sh", "-c", "mount -t tmpfs tmpfs /mnt"]).status === 0
if (!canMount) console.warn("SKIPPED: no file system can be mounted here, so no disk was full in these tests")

describe.skipIf(!canMount)("a host whose disk is full", () => {
  it.live("says that private files have no room there", () =>
    Effect.map(makeDirectory, (directory) => {
      const told = hostAfter(onDisk(directory, "64k"), {
        id: "codex",
        options: program("speaks"),
        params: { systemPrompt: "x".repeat(200_000) }
      })
      assert.strictEqual(told.result, "spawn_failed")
      assert.include(
        told.error.message,
        "the run's private files\" could not be started: no space is left on the disk (ENOSPC), in the temporary directory"
      )
      assert.strictEqual(told.afterwards, "no_result")
    })
  )

  it.live("loses nothing of what a paused consumer has not taken", () =>
    Effect.map(makeDirectory, (directory) => {
      const order = { id: "claude", options: program("floods-stdout", "--bytes=60000000"), pauseMs: 3_000 }
      const told = hostAfter(onDisk(directory, "4m"), order)
      assert.deepStrictEqual([told.result, told.texts, told.error], ["completed", 60_000_000, undefined])
    })
  )

  it.live("ends its run well although the recording does not fit, and says so", () =>
    Effect.map(makeDirectory, (directory) => {
      const params = { record: join(directory, "wire.ndjson") }
      const order = { id: "claude", options: program("floods-stdout", "--bytes=1000000"), params }
      const told = hostAfter(onDisk(directory, "256k"), order)
      assert.strictEqual(told.result, "completed")
      assert.match(told.stderr, /the recording is not complete.*no space is left on the disk \(ENOSPC\)/)
    })
  )

  it.live("cannot lend the user's settings, and leaves them as they are", () =>
    Effect.map(makeDirectory, (directory) => {
      const fill = `mkdir .gemini; printf '{ "a": 1 }' > .gemini/settings.json; head -c 100000000 /dev/zero > full; exec "$@"`
      const [unshare = "", rm = "", sh = "", c = ""] = onDisk(directory, "64k")
      const shell = [unshare, rm, sh, c, `mount -t tmpfs -o size=64k tmpfs ${directory} && cd ${directory} && ${fill}`]
      const params = { workingDirectory: directory, mcpServers: { tiny: { command: "tiny" } } }
      const told = hostAfter(shell, { id: "gemini", options: program("speaks"), params })
      assert.strictEqual(told.result, "settings_unreadable")
      assert.match(told.error.message, /cannot be (written|made|changed): no space is left on the disk \(ENOSPC\)/)
    })
  )
})
