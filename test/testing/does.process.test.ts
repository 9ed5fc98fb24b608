/** Steps of a script beside its words are done by the process: for every CLI. */
import { spawn } from "node:child_process"
import { readFileSync, readlinkSync } from "node:fs"
import { text } from "node:stream/consumers"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Stream } from "effect"
import { AgentRuntime } from "../../src/agents/AgentRuntime.ts"
import { FakeCli, Step } from "../../src/testing.ts"
import { InstalledFake } from "../../src/testingEffect.ts"
import { killGrace } from "../kit/agent.ts"
import { abortedEnding, completed, endingOf, kindsOf, resultOf, timedOut } from "../kit/events.ts"
import { assertAllDead, endAll, isAlive, until } from "../kit/processes.ts"
import { ids, runOf, storyOf } from "./kit.ts"

/** Far more than a busy machine needs for a start, far less than what would hide a hang. */
const promptMs = 20_000

const reasonOf = (fake: FakeCli) => Effect.map(runOf(fake), ({ events }) => resultOf(events))

describe.concurrent.each(ids)("%s", (id) => {
  const fake = FakeCli[id]

  it.live("leaves with a code, and with its last words on stderr", () =>
    Effect.gen(function* () {
      const before = yield* reasonOf(fake([Step.stderr("no disk\n"), Step.exit(3)]))
      assert.deepInclude(before, { reason: "exited", exit: { code: 3 }, stderrTail: "no disk" })
      const silent = yield* reasonOf(fake([Step.exit(0)]))
      assert.deepInclude(silent, { reason: "no_result", exit: { code: 0 } })
      const amid = yield* reasonOf(fake([Step.text("half"), Step.exit(3)]))
      assert.deepInclude(amid, { reason: "exited", exit: { code: 3 }, text: "half" })
    })
  )

  it.live.each(["SIGKILL", "SIGTERM", "SIGSEGV"] as const)("dies of %s", (signal) =>
    Effect.gen(function* () {
      assert.deepInclude(yield* reasonOf(fake([Step.session(), Step.signal(signal)])), {
        reason: "killed",
        exit: { signal }
      })
    })
  )

  it.live("leaves a line unfinished", () =>
    Effect.gen(function* () {
      const steps = [Step.session(), Step.line('{"type":"te', { newline: false }), Step.exit(0)]
      const { events } = yield* runOf(fake(steps))
      assert.deepStrictEqual(storyOf(events), ["session", "notice malformed_line"])
      assert.strictEqual(resultOf(events).reason, "no_result")
      const halves = [Step.line('{"type":', { newline: false }), Step.wait(10), Step.line('"of tomorrow"}')]
      const whole = yield* runOf(fake([Step.session(), ...halves]))
      assert.deepInclude(whole.events, { type: "unknown", raw: { type: "of tomorrow" } })
    })
  )

  it.live("waits as long as it is told to", () =>
    Effect.gen(function* () {
      const events = yield* Effect.map(
        runOf(fake([Step.text("one"), Step.wait("400 millis"), Step.text("two")])),
        (run) => run.events
      )
      assert.deepStrictEqual(endingOf(events), completed)
      assert.isAtLeast(resultOf(events).durationMs, 400)
    })
  )

  it.live("is ended by its silence, before the first line and after it", () =>
    Effect.gen(function* () {
      const silent = yield* runOf(fake([Step.hang()]), {}, { timeouts: { startup: "1 second" } })
      assert.deepStrictEqual(endingOf(silent.events), timedOut("startup"))
      const timeouts = { startup: "1 minute", idle: "500 millis" } as const
      const amid = yield* runOf(fake([Step.text("half"), Step.hang()]), {}, { timeouts })
      assert.deepStrictEqual(endingOf(amid.events), timedOut("idle"))
      assert.include(kindsOf(amid.events), "stalled")
      assertAllDead([...silent.calls, ...amid.calls].map(({ pid }) => pid))
    })
  )

  it.live("closes stdout and stays: the run has its end all the same", () =>
    Effect.gen(function* () {
      const timeouts = { linger: 0 }
      const done = fake([Step.text("ok"), Step.result(), Step.closeStdout(), Step.hang()])
      const { events, calls } = yield* runOf(done, { timeouts })
      assert.deepStrictEqual(endingOf(events), completed)
      const muted = yield* runOf(fake([Step.session(), Step.closeStdout(), Step.hang({ deaf: true })]), { timeouts })
      assert.strictEqual(resultOf(muted.events).outcome, "failed")
      assertAllDead([...calls, ...muted.calls].map(({ pid }) => pid))
    })
  )

  it.live("is ended by an abort, deaf to signals, with the process that it has started", () =>
    Effect.gen(function* () {
      const own = { ownSession: true, deaf: true, holdsStdout: true }
      const steps = [Step.session(), Step.process(own), Step.process(), Step.hang({ deaf: true })]
      const controller = new AbortController()
      yield* Effect.gen(function* () {
        const { calls } = yield* InstalledFake
        const agent = yield* AgentRuntime
        const events = agent.execute({ prompt: "hello", abortSignal: controller.signal })
        const fiber = yield* Effect.forkChild(Stream.runCollect(events), { startImmediately: true })
        yield* until(() => calls()[0]?.processes.length === 2)
        const pids = calls().flatMap(({ pid, processes }) => [pid, ...processes])
        assert.isTrue(pids.every(isAlive))
        controller.abort()
        assert.deepStrictEqual(endingOf(yield* Fiber.join(fiber)), abortedEnding)
        assertAllDead(pids)
      }).pipe(Effect.provide(InstalledFake.layer(fake(steps), { killGrace })))
    })
  )

  it.live("leaves a process behind that holds its stdout: the run ends soon, and so does that", () =>
    Effect.gen(function* () {
      const { events, calls } = yield* runOf(fake([Step.process({ holdsStdout: true }), Step.text("ok")]))
      assert.deepStrictEqual(endingOf(events), completed)
      assert.isBelow(resultOf(events).durationMs, promptMs)
      assertAllDead(calls.flatMap(({ processes }) => processes))
    })
  )

  it.live("takes the prompt that it expects, and says what is wrong with another one", () =>
    Effect.gen(function* () {
      for (const expected of ["hello", /^h.*O$/i, undefined]) {
        const { events } = yield* runOf(fake([Step.expectStdin(expected)]))
        assert.deepStrictEqual(endingOf(events), completed)
      }
      for (const expected of ["hell", /bye/]) {
        const reported = yield* reasonOf(fake([Step.expectStdin(expected)]))
        assert.deepInclude(reported, { reason: "exited", exit: { code: 97 } })
        assert.include(reported.stderrTail, 'stdin was "hello" (5 characters), expected')
      }
    })
  )
})

/** Facts of a living process (Linux). */
const statusOf = (pid: number) => {
  const status = readFileSync(`/proc/${pid}/status`, "utf8")
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
  const ignored = BigInt(`0x${/^SigIgn:\s*(\w+)$/m.exec(status)?.[1]}`)
  return {
    leadsSession: Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[3]) === pid,
    ignoresSigterm: (ignored & (1n << 14n)) !== 0n,
    hasStdout: readlinkSync(`/proc/${pid}/fd/1`) !== "/dev/null"
  }
}

describe("a process step", () => {
  it.live.each([
    [{}, { leadsSession: false, ignoresSigterm: false, hasStdout: false }],
    [{ ownSession: true }, { leadsSession: true, ignoresSigterm: false, hasStdout: false }],
    [{ deaf: true }, { leadsSession: false, ignoresSigterm: true, hasStdout: false }],
    [{ holdsStdout: true }, { leadsSession: false, ignoresSigterm: false, hasStdout: true }]
  ] as const)("starts what it says: %j", ([how, expected]) =>
    Effect.gen(function* () {
      const cli = yield* InstalledFake.make(FakeCli.claude([Step.process(how), Step.hang()]))
      const child = spawn(cli.command, { stdio: ["ignore", "pipe", "ignore"] })
      yield* Effect.addFinalizer(() => Effect.sync(() => endAll(cli.calls().flatMap((c) => [c.pid, ...c.processes]))))
      yield* until(() => cli.calls()[0]?.processes.length === 1)
      assert.deepStrictEqual(statusOf(cli.calls()[0]?.processes[0] ?? 0), expected)
      assert.strictEqual(cli.calls()[0]?.pid, child.pid)
    })
  )
})

it.live("a fake waits a month too", () =>
  Effect.gen(function* () {
    const month = FakeCli.claude([Step.wait("30 days"), Step.text("at last")])
    const { events } = yield* runOf(month, {}, { timeouts: { startup: "1 second" } })
    assert.deepStrictEqual(endingOf(events), timedOut("startup"))
  })
)

it.live("a deaf fake obeys no signal, and does not outlive its folder although nothing ends it", () =>
  Effect.gen(function* () {
    const child = yield* Effect.gen(function* () {
      const cli = yield* InstalledFake.make(FakeCli.claude([Step.hang({ deaf: true })]))
      // Its stdin ends only when the folder is gone: then it cannot be told.
      const child = spawn(cli.command, { stdio: ["pipe", "ignore", "pipe"] })
      yield* Effect.promise(() => cli.started())
      for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) child.kill(signal)
      return child
    }).pipe(Effect.scoped)
    child.stdin.end()
    const content = text(child.stderr)
    yield* until(() => child.signalCode !== null || child.exitCode !== null).pipe(
      Effect.ensuring(Effect.sync(() => endAll([child.pid ?? 0])))
    )
    assert.strictEqual(child.signalCode, "SIGKILL")
    assert.strictEqual(yield* Effect.promise(() => content), "")
  })
)
