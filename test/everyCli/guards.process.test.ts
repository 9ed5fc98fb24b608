/**
 * The guards of the pipeline, for every CLI value: a fake of each CLI prints its recorded lines. A run has one `done`, last,
 * with the right reason, and leaves no process.
 */
import { readFileSync } from "node:fs"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Redacted, Stream } from "effect"
import { AgentRuntime } from "../../src/agents/AgentRuntime.ts"
import { type CliId, clis } from "../../src/agents/Agents.ts"
import type { AgentEvent } from "../../src/contract/AgentEvent.ts"
import type { AgentExecuteParams } from "../../src/contract/AgentExecuteParams.ts"
import type { AgentOptions } from "../../src/contract/AgentOptions.ts"
import { FakeCli, type ReplayOptions, Step } from "../../src/testing.ts"
import { InstalledFake } from "../../src/testingEffect.ts"
import { plainSuccessOf, recordingPath } from "../cli/fixtures.ts"
import { killGrace } from "../kit/agent.ts"
import { abortedEnding, completed, endingOf, errorOf, kindsOf, resultOf, timedOut } from "../kit/events.ts"
import { assertAllDead, until } from "../kit/processes.ts"

const ids = Object.keys(clis) as ReadonlyArray<CliId>

const recordingOf = (id: CliId) => recordingPath(clis[id], plainSuccessOf(clis[id]))

const replay = (id: CliId, options?: ReplayOptions) => FakeCli.replay(id, recordingOf(id), options)

const deaf = (id: CliId) => replay(id, { lines: 1, end: [Step.hang({ deaf: true })] })

/** Runs nothing yet. */
const start = Effect.fnUntraced(function* (id: CliId, fake = replay(id), options: AgentOptions = {}) {
  const { command, calls } = yield* InstalledFake.make(fake)
  const layer = AgentRuntime.layer(clis[id], { killGrace, command, ...options })
  const execute = (params: Partial<AgentExecuteParams> = {}) =>
    Stream.unwrap(AgentRuntime.useSync((agent) => agent.execute({ prompt: "hello", ...params }))).pipe(
      Stream.provide(layer.pipe(Layer.provideMerge(NodeServices.layer)))
    )
  const collect = (params?: Partial<AgentExecuteParams>) => Stream.runCollect(execute(params))
  const call = () => calls()[0] ?? assert.fail("it was never started")
  return { collect, call, calls }
})

const textOf = (events: ReadonlyArray<AgentEvent>) => resultOf(events).text

describe.concurrent.each(ids)("%s", (id) => {
  const cli = clis[id]
  const expected = plainSuccessOf(cli).expectation.result

  it.live("completes, and its process is gone", () =>
    Effect.gen(function* () {
      const { collect, call } = yield* start(id)
      const events = yield* collect()
      assert.deepStrictEqual(endingOf(events), completed)
      assert.strictEqual(textOf(events), expected.text)
      assertAllDead([call().pid])
    })
  )

  it.live("gets the prompt unchanged on stdin, and no secret on its command line", () =>
    Effect.gen(function* () {
      const { collect, call } = yield* start(id)
      const prompt = `-v "quoted" ünïcode 🎉\n${"long ".repeat(40_000)}`
      yield* collect({ prompt, env: { SECRET: Redacted.make("s3cr3t-value"), GONE: undefined } })
      const { stdin, arguments: args, environment } = call()
      assert.strictEqual(stdin, prompt)
      assert.notInclude(args.join(" "), "s3cr3t")
      assert.strictEqual(environment["SECRET"], "s3cr3t-value")
      assert.notProperty(environment, "GONE")
      assert.strictEqual(environment["PWD"], process.cwd())
    })
  )

  it.live.each([
    [
      "exits with 1 before its first line",
      { lines: 0, end: [Step.stderr("the last words\n"), Step.exit(1)] },
      "exited"
    ],
    ["exits with 0 before its first line", { lines: 0 }, "no_result"],
    ["is killed after its first line", { lines: 1, end: [Step.signal("SIGKILL")] }, "killed"]
  ] as const)("reports the reason of its failure: %s", ([_, options, reason]) =>
    Effect.gen(function* () {
      const events = yield* (yield* start(id, replay(id, options))).collect()
      assert.deepInclude(resultOf(events), { outcome: "failed", reason, text: "" })
      if (reason === "exited") assert.strictEqual(resultOf(events).stderrTail, "the last words")
      assert.strictEqual(errorOf(events).retryable, false)
    })
  )

  it.live("keeps events behind malformed lines", () =>
    Effect.gen(function* () {
      const lines = readFileSync(recordingOf(id), "utf8").split("\n").slice(0, -1)
      const noise = Step.line("\u001b[31mwarning: {not json")
      const noisy = FakeCli[id]([...lines.flatMap((line) => [noise, Step.line(line)]), Step.exit(0)])
      const events = yield* (yield* start(id, noisy)).collect()
      assert.deepStrictEqual(endingOf(events), completed)
      assert.strictEqual(textOf(events), expected.text)
      assert.include(kindsOf(events), "malformed_line")
    })
  )

  it.live("does not believe a success before a line that was cut off, unless nothing could follow it", () =>
    Effect.gen(function* () {
      const cut = replay(id, { end: [Step.line('{"type":"te', { newline: false })] })
      const events = yield* (yield* start(id, cut)).collect()
      const isCertain = plainSuccessOf(cli).expectation.certainAfterLine !== null
      assert.strictEqual(resultOf(events).reason, isCertain ? "completed" : "no_result")
      assert.strictEqual(textOf(events), expected.text)
    })
  )

  it.live("is ended by a timeout, before the first line and after it", () =>
    Effect.gen(function* () {
      const silent = yield* start(id, replay(id, { lines: 0, end: [Step.hang()] }))
      assert.deepStrictEqual(
        endingOf(yield* silent.collect({ timeouts: { startup: "1 second" } })),
        timedOut("startup")
      )
      const idle = yield* start(id, replay(id, { lines: 1, end: [Step.hang()] }))
      const events = yield* idle.collect({ timeouts: { idle: "1 second" } })
      assert.deepStrictEqual(endingOf(events), timedOut("idle"))
      assert.include(kindsOf(events), "stalled")
      assertAllDead([silent.call().pid, idle.call().pid])
    })
  )

  it.live("is ended by an abort, although it ignores the stop signal", () =>
    Effect.gen(function* () {
      const { collect, call, calls } = yield* start(id, deaf(id))
      const controller = new AbortController()
      const fiber = yield* Effect.forkChild(collect({ abortSignal: controller.signal }), { startImmediately: true })
      yield* until(() => calls()[0]?.stdin !== undefined)
      controller.abort()
      assert.deepStrictEqual(endingOf(yield* Fiber.join(fiber)), abortedEnding)
      assertAllDead([call().pid])
    })
  )

  it.live("is ended when its consumer is interrupted", () =>
    Effect.gen(function* () {
      const { collect, call, calls } = yield* start(id, deaf(id))
      const fiber = yield* Effect.forkChild(collect(), { startImmediately: true })
      yield* until(() => calls()[0]?.stdin !== undefined)
      yield* Fiber.interrupt(fiber)
      assertAllDead([call().pid])
    })
  )

  it.live("starts nothing if it was aborted before, or lacks a requested option", () =>
    Effect.gen(function* () {
      const { collect, calls } = yield* start(id)
      assert.deepStrictEqual(endingOf(yield* collect({ abortSignal: AbortSignal.abort() })), abortedEnding)
      for (const name of ["maxBudgetUsd", "effort", "newSessionId"] as const) {
        if (cli.supports.has(name)) continue
        const events = yield* collect({ [name]: name === "maxBudgetUsd" ? 1 : "x" })
        assert.deepInclude(errorOf(events), {
          code: "unsupported_option",
          message: `${cli.id} does not support ${name}`
        })
      }
      assert.isEmpty(calls())
    })
  )

  it.live("explains the installation if it is missing", () =>
    Effect.gen(function* () {
      const events = yield* (yield* start(id, replay(id), { command: "/no/such/program" })).collect()
      assert.deepInclude(errorOf(events), { category: "not_installed" })
      assert.include(errorOf(events).message, cli.install)
    })
  )

  it.live("shares nothing between concurrent runs", () =>
    Effect.gen(function* () {
      const [one, other] = [yield* start(id), yield* start(id, replay(id, { lines: 0 }))]
      const runs = yield* Effect.all([one.collect(), other.collect()], { concurrency: "unbounded" })
      const [whole, empty] = runs.map(resultOf)
      assert.strictEqual(whole?.text, expected.text)
      assert.deepInclude(empty, { reason: "no_result", text: "", sessionId: undefined, usage: undefined })
    })
  )
})
