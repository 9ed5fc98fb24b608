/** Refusals of the system, and processes that the system ends: by real causes, for every CLI. */
import { closeSync, existsSync, mkdirSync, openSync, rmdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Latch, Stream } from "effect"
import { AgentRuntime } from "../../src/agents/AgentRuntime.ts"
import { clis } from "../../src/agents/Agents.ts"
import type { Cli } from "../../src/cli/Cli.ts"
import type { AgentEvent } from "../../src/contract/AgentEvent.ts"
import type { AgentExecuteParams } from "../../src/contract/AgentExecuteParams.ts"
import type { AgentOptions } from "../../src/contract/AgentOptions.ts"
import { nodePlatform } from "../../src/system/process/Platform.ts"
import { plainSuccessOf, recordingPath } from "../cli/fixtures.ts"
import { programPath } from "../kit/agent.ts"
import { errorOf, resultOf } from "../kit/events.ts"
import { until } from "../kit/processes.ts"
import { makeDirectory } from "../kit/temporary.ts"

const execute = (cli: Cli, options: AgentOptions, params: Partial<AgentExecuteParams> = {}) =>
  Stream.unwrap(AgentRuntime.useSync((agent) => agent.execute({ prompt: "hello", ...params }))).pipe(
    Stream.provide(AgentRuntime.layer(cli, { killGrace: "300 millis", ...options })),
    Stream.provide(nodePlatform)
  )

const collect = (...args: Parameters<typeof execute>) => Stream.runCollect(execute(...args))

const sh = (script: string, values: Readonly<Record<string, string>> = {}): AgentOptions => ({
  command: "/bin/sh",
  baseArgs: ["-c", script],
  env: { values }
})

/** One error and one done; its words are checked one by one. */
const assertFailed = (
  events: ReadonlyArray<AgentEvent>,
  reason: string,
  category: string,
  ...words: ReadonlyArray<string>
) => {
  assert.strictEqual(resultOf(events).reason, reason)
  const { message, ...error } = errorOf(events)
  assert.deepStrictEqual([error.category, error.retryable], [category, false])
  for (const word of words) assert.include(message, word)
}

describe.each(Object.values(clis))("$id", (cli) => {
  // Codex takes no more.
  const longest = cli.id === "codex" ? 1_000_000 : 3_000_000
  const notFound = ["not_installed", "not_installed", cli.install] as const
  const refused = ["spawn_failed", "spawn"] as const

  /** The file at a path, and how it is refused. */
  const commands: ReadonlyArray<readonly [string, (path: string) => void, ReadonlyArray<string>]> = [
    ["nothing (ENOENT)", () => {}, notFound],
    [
      "a file that may not be run (EACCES)",
      (path) => writeFileSync(path, "", { mode: 0o644 }),
      [...refused, "(EACCES)"]
    ],
    [
      "a directory (EACCES)",
      (path) => mkdirSync(path),
      [...refused, "it is not a program that may be run", "(EACCES)"]
    ],
    [
      "a link to itself (ELOOP)",
      (path) => symlinkSync(path, path),
      [...refused, "too many symbolic links, or a loop of them (ELOOP)"]
    ],
    [
      "a script without its interpreter",
      (path) => writeFileSync(path, "#!/no/such/interpreter\n", { mode: 0o755 }),
      [...refused, "it is there, but not what it needs to run"]
    ]
  ]

  it.live.each(commands)(
    "where its command should be there is %s",
    ([_, make, [reason = "", category = "", ...words]]) =>
      Effect.gen(function* () {
        const command = join(yield* makeDirectory, "agent")
        make(command)
        assertFailed(yield* collect(cli, { command }), reason, category, `"${command}"`, ...words)
      })
  )

  it.live("its command is below a file (ENOTDIR), has an endless name, or is being written (ETXTBSY)", () =>
    Effect.gen(function* () {
      const directory = yield* makeDirectory
      const file = join(directory, "agent")
      writeFileSync(file, "#!/bin/sh\n", { mode: 0o755 })
      assertFailed(yield* collect(cli, { command: join(file, "x") }), ...notFound)
      const endless = join(directory, "n".repeat(300))
      assertFailed(yield* collect(cli, { command: endless }), ...refused, "the path is too long (ENAMETOOLONG)")
      const descriptor = openSync(file, "r+")
      const events = yield* collect(cli, { command: file })
      closeSync(descriptor)
      assertFailed(events, ...refused, `"${file}"`, "the file is open for writing (ETXTBSY)")
    })
  )

  it.live("its working directory is missing, or is removed while the run waits for its start", () =>
    Effect.gen(function* () {
      const directory = yield* makeDirectory
      const file = join(directory, "file")
      writeFileSync(file, "")
      const refusedAs = ["invalid_params", "invalid_request", "workingDirectory"] as const
      const inFile = yield* collect(cli, sh("exit 0"), { workingDirectory: file })
      assertFailed(inFile, ...refusedAs, `"${file}" is not a directory`)
      const belowFile = yield* collect(cli, sh("exit 0"), { workingDirectory: join(file, "x") })
      assertFailed(belowFile, ...refusedAs, "does not exist")

      const below = join(directory, "below")
      mkdirSync(below)
      const limits = { perCli: 1 }
      const queued = Latch.makeUnsafe(false)
      const started = join(directory, "started")
      const first = yield* collect(cli, { ...sh('touch "$STARTED"; sleep 60', { STARTED: started }), limits }).pipe(
        Effect.forkChild({ startImmediately: true })
      )
      yield* until(() => existsSync(started))
      const events: Array<AgentEvent> = []
      const second = yield* execute(cli, { ...sh("exit 0"), limits }, { workingDirectory: below }).pipe(
        Stream.runForEach((event) =>
          Effect.sync(() => {
            events.push(event)
            if (event.type === "notice" && event.kind === "queued") queued.openUnsafe()
          })
        ),
        Effect.forkChild({ startImmediately: true })
      )
      yield* queued.await
      rmdirSync(below)
      yield* Fiber.interrupt(first)
      yield* Fiber.join(second)
      assertFailed(events, ...refusedAs, `"${below}" cannot be entered: no such file or directory`)
    })
  )

  it.live("its environment is too large (E2BIG)", () =>
    Effect.gen(function* () {
      const env = Object.fromEntries(Array.from({ length: 60 }, (_, nth) => [`BIG_${nth}`, "x".repeat(100_000)]))
      const events = yield* collect(cli, sh("exit 0"), { env })
      assertFailed(events, "command_line_too_long", "invalid_request", "all arguments and the environment", "2097152")
    })
  )

  it.live.each([0, 1])("its process leaves before it has read a long prompt (EPIPE), with %i", (code) =>
    Effect.gen(function* () {
      const plain = plainSuccessOf(cli)
      const script = `exec < /dev/null; [ ${code} = 1 ] || cat "$RECORDING"; exit ${code}`
      const options = sh(script, { RECORDING: recordingPath(cli, plain) })
      const events = yield* collect(cli, options, { prompt: "p".repeat(longest) })
      if (code === 1) return assertFailed(events, "exited", "crash", "exit code 1")
      assert.strictEqual(resultOf(events).reason, "completed")
      assert.strictEqual(resultOf(events).text, plain.expectation.result.text)
    })
  )

  it.live.each(["KILL", "SEGV", "ABRT", "BUS", "TERM"])(
    "its process dies of SIG%s, itself or below a shell",
    (signal) =>
      Effect.gen(function* () {
        const dies = `kill -${signal} $$`
        const events = yield* collect(cli, sh(dies))
        assertFailed(events, "killed", "crash", `SIG${signal}`, signal === "KILL" ? "out of memory" : "")
        assert.deepStrictEqual(resultOf(events).exit, { signal: `SIG${signal}` })
        const below = yield* collect(cli, sh(`sh -c '${dies}'; exit $?`))
        assertFailed(below, "exited", "crash", `SIG${signal}`)
      })
  )

  it.live("its process gets no more memory: of its own limit, or of the system's", () =>
    Effect.gen(function* () {
      const own = [`--max-old-space-size=16`, programPath("eats-memory")]
      const byItself = yield* collect(cli, { command: process.execPath, baseArgs: own })
      assertFailed(byItself, "killed", "crash", "SIGABRT")
      assert.include(resultOf(byItself).stderrTail, "out of memory")
      const bySystem = yield* collect(
        cli,
        sh(`ulimit -v 300000; exec "${process.execPath}" "${programPath("eats-memory")}"`)
      )
      assertFailed(bySystem, "killed", "crash", "SIG")
      assert.include(resultOf(bySystem).stderrTail, "out of memory")
    })
  )
})
