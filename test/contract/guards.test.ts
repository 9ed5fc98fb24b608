/**
 * The guards of the pipeline hold for every CLI value: the same program stands in for each of them and prints what that
 * CLI really printed. Whatever the CLI, a run has one `done`, last, with a true reason, and leaves no process.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Redacted, Stream } from "effect"
import type { AgentEvent } from "../../src/AgentEvent.ts"
import type { AgentExecuteParams } from "../../src/AgentExecuteParams.ts"
import type { AgentOptions } from "../../src/AgentOptions.ts"
import { AgentRuntime } from "../../src/AgentRuntime.ts"
import { clis } from "../../src/agents.ts"
import type { Cli } from "../../src/cli/Cli.ts"
import { plainSuccessOf, recordingPath } from "../cli/fixtures.ts"
import { killGrace, programPath } from "../kit/agent.ts"
import { abortedEnding, completed, endingOf, errorOf, kindsOf, resultOf, timedOut } from "../kit/events.ts"
import { assertAllDead, until } from "../kit/processes.ts"

const directory = mkdtempSync(join(tmpdir(), "test-"))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

interface Told {
  readonly pid: number
  readonly argv: ReadonlyArray<string>
  readonly stdin: string
  readonly env: Readonly<Record<string, string>>
}

const start = (cli: Cli, args: ReadonlyArray<string>, options: AgentOptions = {}) => {
  const tell = join(directory, crypto.randomUUID())
  const file = recordingPath(cli, plainSuccessOf(cli))
  const baseArgs = [programPath("replays"), `--file=${file}`, `--tell=${tell}`, ...args]
  const layer = AgentRuntime.layer(cli, { killGrace, command: process.execPath, baseArgs, ...options })
  const execute = (params: Partial<AgentExecuteParams> = {}) =>
    Stream.unwrap(AgentRuntime.useSync((agent) => agent.execute({ prompt: "hello", ...params }))).pipe(
      Stream.provide(layer.pipe(Layer.provideMerge(NodeServices.layer)))
    )
  const told = (): Told => JSON.parse(readFileSync(tell, "utf8"))
  const hasTold = () => {
    try {
      return told().pid > 0
    } catch {
      return false
    }
  }
  const collect = (params?: Partial<AgentExecuteParams>) => Stream.runCollect(execute(params))
  return { execute, collect, told, hasTold }
}

const textOf = (events: ReadonlyArray<AgentEvent>) => resultOf(events).text

describe.each(Object.values(clis))("$id", (cli) => {
  const expected = plainSuccessOf(cli).expectation.result

  it.live("completes, and its process is gone", () =>
    Effect.gen(function* () {
      const { collect, told } = start(cli, [])
      const events = yield* collect()
      assert.deepStrictEqual(endingOf(events), completed)
      assert.strictEqual(textOf(events), expected.text)
      assertAllDead([told().pid])
    })
  )

  it.live("gets the prompt over stdin as it is, and no secret on its command line", () =>
    Effect.gen(function* () {
      const { collect, told } = start(cli, [])
      const prompt = `-v "quoted" ünïcode 🎉\n${"long ".repeat(40_000)}`
      yield* collect({ prompt, env: { SECRET: Redacted.make("s3cr3t-value"), GONE: undefined } })
      const { stdin, argv, env } = told()
      assert.strictEqual(stdin, prompt)
      assert.notInclude(argv.join(" "), "s3cr3t")
      assert.strictEqual(env["SECRET"], "s3cr3t-value")
      assert.strictEqual(env["PWD"], process.cwd())
    })
  )

  it.live.each([
    ["exits with 1 before its first line", ["--lines=0", "--then=exit-1"], "exited"],
    ["exits with 0 before its first line", ["--lines=0", "--then=exit-0"], "no_result"],
    ["is killed after its first line", ["--lines=1", "--then=kill"], "killed"]
  ] as const)("tells why it failed: %s", ([_, args, reason]) =>
    Effect.gen(function* () {
      const events = yield* start(cli, args).collect()
      assert.deepInclude(resultOf(events), { outcome: "failed", reason, text: "" })
      if (reason === "exited") assert.strictEqual(resultOf(events).stderrTail, "the last words")
      assert.strictEqual(errorOf(events).retryable, false)
    })
  )

  it.live("hides nothing behind lines that are none", () =>
    Effect.gen(function* () {
      const events = yield* start(cli, ["--noise=\u001b[31mwarning: {not json"]).collect()
      assert.deepStrictEqual(endingOf(events), completed)
      assert.strictEqual(textOf(events), expected.text)
      assert.include(kindsOf(events), "malformed_line")
    })
  )

  it.live("believes no success behind which a line was cut off, unless nothing could follow it", () =>
    Effect.gen(function* () {
      const events = yield* start(cli, ['--tail={"type":"te']).collect()
      const isCertain = plainSuccessOf(cli).expectation.certainAfterLine !== null
      assert.strictEqual(resultOf(events).reason, isCertain ? "completed" : "no_result")
      assert.strictEqual(textOf(events), expected.text)
    })
  )

  it.live("is ended by its silence, before the first line and after it", () =>
    Effect.gen(function* () {
      const silent = yield* start(cli, ["--lines=0", "--then=stay"]).collect({ timeouts: { startup: "1 second" } })
      assert.deepStrictEqual(endingOf(silent), timedOut("startup"))
      const idle = start(cli, ["--lines=1", "--then=stay"])
      const events = yield* idle.collect({ timeouts: { idle: "1 second" } })
      assert.deepStrictEqual(endingOf(events), timedOut("idle"))
      assert.include(kindsOf(events), "stalled")
      assertAllDead([idle.told().pid])
    })
  )

  it.live("is ended by an abort, although it ignores the stop signal", () =>
    Effect.gen(function* () {
      const { collect, told, hasTold } = start(cli, ["--lines=1", "--then=deaf"])
      const controller = new AbortController()
      const fiber = yield* Effect.forkChild(collect({ abortSignal: controller.signal }), { startImmediately: true })
      yield* until(hasTold)
      controller.abort()
      assert.deepStrictEqual(endingOf(yield* Fiber.join(fiber)), abortedEnding)
      assertAllDead([told().pid])
    })
  )

  it.live("is ended when its consumer is interrupted", () =>
    Effect.gen(function* () {
      const { collect, told, hasTold } = start(cli, ["--lines=1", "--then=deaf"])
      const fiber = yield* Effect.forkChild(collect(), { startImmediately: true })
      yield* until(hasTold)
      yield* Fiber.interrupt(fiber)
      assertAllDead([told().pid])
    })
  )

  it.live("starts nothing when it was aborted before, or lacks what is asked of it", () =>
    Effect.gen(function* () {
      const { collect, hasTold } = start(cli, [])
      assert.deepStrictEqual(endingOf(yield* collect({ abortSignal: AbortSignal.abort() })), abortedEnding)
      for (const name of ["maxBudgetUsd", "effort", "newSessionId"] as const) {
        if (cli.supports.has(name)) continue
        const events = yield* collect({ [name]: name === "maxBudgetUsd" ? 1 : "x" })
        assert.deepInclude(errorOf(events), { code: "unsupported_option", message: `${cli.id} has no ${name}` })
      }
      assert.isFalse(hasTold())
    })
  )

  it.live("says how to install it where it is missing", () =>
    Effect.gen(function* () {
      const events = yield* start(cli, [], { command: "/no/such/program" }).collect()
      assert.deepInclude(errorOf(events), { category: "not_installed" })
      assert.include(errorOf(events).message, cli.install)
    })
  )

  it.live("shares nothing between runs that go on at once", () =>
    Effect.gen(function* () {
      const runs = yield* Effect.all([start(cli, []).collect(), start(cli, ["--lines=0"]).collect()], {
        concurrency: "unbounded"
      })
      const [whole, empty] = runs.map(resultOf)
      assert.strictEqual(whole?.text, expected.text)
      assert.deepInclude(empty, { reason: "no_result", text: "", sessionId: undefined, usage: undefined })
    })
  )
})
