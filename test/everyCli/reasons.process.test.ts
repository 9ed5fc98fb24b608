/**
 * The reason of a failure is the same by every way in: a run and a live session, both doors, and an agent whose runs are
 * sessions. The reason, its message and its facts do not depend on the caller.
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Stream } from "effect"
import { AgentRuntime } from "../../src/agents/AgentRuntime.ts"
import { clis } from "../../src/agents/Agents.ts"
import type { AgentError } from "../../src/contract/AgentError.ts"
import type { AgentEvent } from "../../src/contract/AgentEvent.ts"
import type { AgentOptions } from "../../src/contract/AgentOptions.ts"
import type { RunReason } from "../../src/contract/FailureReason.ts"
import { Acp } from "../../src/index.ts"
import { createAcpAgent, createAgent, type PlainAgent } from "../../src/promise.ts"
import { killGrace, program, programPath } from "../kit/agent.ts"
import { errorOf, resultOf } from "../kit/events.ts"
import { ids, open, script, turnResult } from "../kit/live.ts"

interface Setup {
  readonly options: AgentOptions & { readonly command: string }
  readonly params?: Readonly<Record<string, unknown>>
}

type Agent = (options: Setup["options"]) => Layer.Layer<AgentRuntime, never, NodeServices.NodeServices>
type Plain = (options: Setup["options"]) => PlainAgent

const claude: Agent = (options) => AgentRuntime.layer(clis.claude, options)
const plainClaude: Plain = (options) => createAgent("claude", options)

/** The failure as an error; events, if there are any, must have the same facts. */
type Way = (setup: Setup) => Effect.Effect<AgentError, unknown>

const within = <A>(
  agent: Agent,
  options: Setup["options"],
  use: (runtime: AgentRuntime["Service"]) => Effect.Effect<A, unknown>
) => AgentRuntime.use(use).pipe(Effect.provide(agent(options).pipe(Layer.provide(NodeServices.layer))))

const runs =
  (agent: Agent): Way =>
  ({ options, params }) =>
    within(agent, options, ({ run }) => Effect.flip(run({ prompt: "hello", ...params })))

const assertSameFacts = ({ reason, result }: AgentError, events: ReadonlyArray<AgentEvent>) => {
  const { code, category, message } = errorOf(events)
  // The free memory differs between runs.
  const words = (text: string) => text.replace(/\d+ MiB/, "")
  assert.deepStrictEqual([code, category, words(message)], [reason.code, reason.category, words(reason.message)])
  const { durationMs: _, ...facts } = resultOf(events)
  const { durationMs: __, ...others } = result
  assert.deepStrictEqual(facts, others)
}

/** The events of one run, and the error of another. */
const executes =
  (agent: Agent): Way =>
  ({ options, params }) =>
    within(agent, options, ({ run, execute }) =>
      Effect.gen(function* () {
        const events = yield* Stream.runCollect(execute({ prompt: "hello", ...params }))
        const error = yield* Effect.flip(run({ prompt: "hello", ...params }))
        assertSameFacts(error, events)
        return error
      })
    )

const opens =
  (agent: Agent): Way =>
  ({ options, params }) =>
    within(agent, options, (runtime) => Effect.scoped(Effect.flip(runtime.open(params))))

const rejected =
  (agent: Plain, use: (agent: PlainAgent<string>, params: object) => Promise<unknown>): Way =>
  ({ options, params = {} }) =>
    Effect.promise(async () => {
      await using created = agent(options)
      return await use(created, params).then(
        () => assert.fail("it failed"),
        (error: AgentError) => error
      )
    })

const ways: Readonly<Record<string, Way>> = {
  run: runs(claude),
  "run's events": executes(claude),
  "run, plain": rejected(plainClaude, (agent, params) => agent.run({ prompt: "hello", ...params })),
  session: opens(claude),
  "session, plain": rejected(plainClaude, (agent, params) => agent.open(params)),
  "run of an agent with sessions only": runs(Acp.layer),
  "events of such a run": executes(Acp.layer),
  "such a run, plain": rejected(createAcpAgent, (agent, params) => agent.run({ prompt: "hello", ...params })),
  "session of such an agent": opens(Acp.layer)
}

const burning = (then: string): AgentOptions & { readonly command: string } => ({
  ...program("burns", `--then=${then}`),
  killGrace
})

const cause = "Error: boom: the disk is on fire"
const tail = "Warming up\nError: boom: the disk is on fire\n    at burn (/app/disk.js:3:7)"

interface Expected {
  readonly reason: Readonly<Record<string, unknown>>
  readonly message?: string
  readonly result: Readonly<Record<string, unknown>>
}

const failed = <Facts extends object>(reason: RunReason, facts?: Facts) =>
  ({ outcome: "failed", reason, ...facts }) as const

const table: Readonly<Record<string, readonly [Setup, Expected]>> = {
  "an exit code": [
    { options: burning("exit-3") },
    {
      reason: { _tag: "Exited", exitCode: 3, code: "exit_code", category: "crash", stderr: cause },
      message: `The process ended with exit code 3: ${cause}`,
      result: failed("exited", { exit: { code: 3 }, stderrTail: tail })
    }
  ],
  "a signal": [
    { options: burning("kill") },
    {
      reason: { _tag: "Killed", signal: "SIGKILL", code: "signal", category: "crash", stderr: cause },
      message: `The process was ended by SIGKILL; the machine may be out of memory: ${cause}`,
      result: failed("killed", { exit: { signal: "SIGKILL" }, stderrTail: tail })
    }
  ],
  "no word at all": [
    { options: burning("exit-0") },
    {
      reason: { _tag: "NoResult", code: "no_result", category: "protocol", stderr: cause },
      message: `The run ended without a result: ${cause}`,
      result: failed("no_result", { exit: { code: 0 }, stderrTail: tail })
    }
  ],
  "a start without end": [
    { options: burning("stay"), params: { timeouts: { startup: 1_500 } } },
    {
      reason: { _tag: "TimedOut", state: "startup", code: "timeout_startup", category: "timeout", stderr: cause },
      message: `No output for 1.5 s, the limit for the state "startup": ${cause}`,
      result: { outcome: "timed_out", reason: "timed_out", stderrTail: tail }
    }
  ],
  "an abort": [
    { options: burning("stay"), params: { abortSignal: AbortSignal.abort() } },
    { reason: { _tag: "Aborted", code: "aborted", category: "aborted" }, result: { outcome: "aborted", aborted: true } }
  ],
  "a program that is not there": [
    { options: { command: "/no/such/program" } },
    { reason: { _tag: "NotInstalled", code: "not_installed" }, result: failed("not_installed") }
  ],
  "a file that is not a program": [
    { options: { command: "/etc/passwd" } },
    { reason: { _tag: "SpawnFailed", code: "spawn_failed", category: "spawn" }, result: failed("spawn_failed") }
  ],
  "a directory that is not there": [
    { options: burning("stay"), params: { workingDirectory: "/no/such/directory" } },
    {
      reason: { _tag: "InvalidParams", code: "invalid_params", option: "workingDirectory" },
      message: 'workingDirectory: "/no/such/directory" does not exist',
      result: failed("invalid_params")
    }
  ],
  "an unknown option": [
    { options: burning("stay"), params: { newSessionId: "x", sandbox: "none", personality: "mild" } },
    { reason: { _tag: "InvalidParams", code: "invalid_params" }, result: failed("invalid_params") }
  ],
  "a variable that is too long": [
    { options: burning("stay"), params: { env: { LONG: "x".repeat(200_000) } } },
    {
      reason: { _tag: "CommandLineTooLong", code: "command_line_too_long", limitBytes: 131_071 },
      result: failed("command_line_too_long")
    }
  ],
  "a place in the queue that never comes": [
    { options: { ...burning("stay"), limits: { freeMemoryBytes: Number.MAX_SAFE_INTEGER, maxWait: 50 } } },
    {
      reason: { _tag: "LimitReached", code: "limit_reached", limit: "freeMemoryBytes", maxWaitMs: 50 },
      result: failed("limit_reached")
    }
  ]
}

/** The message ends with the version that is known to work, if there is one. */
const withoutHint = (message: string) => message.replace(/ \([^()]*see reins doctor\)$/, "")

const known = (error: AgentError) => {
  const { durationMs, ...result } = error.result
  assert.isAtLeast(durationMs, 0)
  return { tag: error.reason._tag, message: error.reason.message, category: error.reason.category, result }
}

describe.concurrent.each(Object.entries(table))("%s", (_, [setup, expected]) => {
  it.live.each(Object.entries(ways))("is the same for a %s", ([_, way]) =>
    Effect.gen(function* () {
      const error = yield* way(setup)
      assert.deepInclude(error.reason, expected.reason)
      if (expected.message !== undefined) assert.strictEqual(withoutHint(error.reason.message), expected.message)
      assert.strictEqual(error.message, `${error.cli}: ${error.reason.message}`)
      assert.deepInclude(error.result, expected.result)
      assert.strictEqual(error.hadOutput, false)
      // Members that the table lacks are not in the result either.
      for (const name of ["exit", "stderrTail"] as const) {
        assert.strictEqual(name in known(error).result, name in expected.result, name)
      }
    })
  )
})

describe("a prompt that the process repeats on stderr", () => {
  const words = "Fix the tests of the parser"
  const repeating = program("burns", "--then=exit-3", `--say=Error: unknown command ${words}\n`)
  // Other CLIs do not get the prompt before they fail.
  const runWays = Object.entries(ways).filter(([name]) => name.startsWith("run") && !name.includes("only"))

  it.live.each(runWays)("is in no message to a %s", ([_, way]) =>
    Effect.gen(function* () {
      const error = yield* way({ options: { ...repeating, killGrace }, params: { prompt: `${words}, and stop.` } })
      assert.isTrue(error.reason.message.startsWith(`The process ended with exit code 3: ${cause}`))
      assert.notInclude(error.message, "parser")
    })
  )
})

describe("in the middle of a turn", () => {
  // A line of the prompt is in no message.
  const escaped = [...`${cause}\n`].map((letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`).join("")
  const dies = script({ begin: "half" }, { stderr: "@" }, { exit: 3 }).replace("@", escaped)
  const expected = failed("exited", { exit: { code: 3 }, stderrTail: cause })
  const message = `The process ended with exit code 3: ${cause}`

  it.live.each(ids)("the end of %s is that of the turn and of the session", (id) =>
    Effect.gen(function* () {
      const { session, log } = yield* open(id)
      const events = yield* Stream.runCollect(session.turn(dies))
      assert.deepInclude(turnResult(events), { ...expected, text: "half" })
      assert.strictEqual(withoutHint(errorOf(events).message), message)
      yield* log.until((all) => all.at(-1)?.type === "done")
      assert.deepInclude(resultOf(log.events), expected)
      const { reason, result } = yield* Effect.flip(session.send("more"))
      assert.deepInclude(reason, { _tag: "Exited", exitCode: 3, stderr: cause })
      assert.strictEqual(withoutHint(reason.message), message)
      assert.deepInclude(result, expected)
    })
  )

  it.live("the end of an agent whose runs are sessions is that of the run", () =>
    Effect.gen(function* () {
      const options = {
        command: process.execPath,
        baseArgs: [programPath("acp-agent")],
        args: ["--acp"],
        killGrace
      } as const
      const error = yield* runs(Acp.layer)({ options, params: { prompt: "die" } })
      assert.deepInclude(error.reason, { _tag: "Exited", exitCode: 3, stderr: cause, message })
      assert.deepInclude(error.result, { ...expected, sessionId: "s1", text: "half" })
      assert.isTrue(error.hadOutput)
      assert.isAbove(error.result.durationMs, 0)
    })
  )
})
