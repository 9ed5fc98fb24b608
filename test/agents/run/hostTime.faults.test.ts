/** A host that is held up, stopped or whose date is set: its runs come to their own end. Real processes. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema, Stream } from "effect"
import { AgentRuntime } from "../../../src/agents/AgentRuntime.ts"
import { AgentEvent } from "../../../src/contract/AgentEvent.ts"
import type { AgentOptions } from "../../../src/contract/AgentOptions.ts"
import { Approvals } from "../../../src/index.ts"
import { FakeCli, Step } from "../../../src/testing.ts"
import { layerOf, performing } from "../../kit/agent.ts"
import { abortedEnding, completed, endingOf, resultOf, timedOut } from "../../kit/events.ts"
import { content, open, requested, turnsDone } from "../../kit/live.ts"
import { endLater, until } from "../../kit/processes.ts"

/** A healthy run: it is never silent for long, and its result stands in the pipe after a second. */
const lively = FakeCli.claude([
  ...["a", "b", "c", "d", "e"].flatMap((text) => [Step.text(text), Step.wait("200 millis")]),
  Step.result()
])

/** All events of a run; `act` is called at its first text. */
const actingAtText = (options: AgentOptions, act: (abort: AbortController) => void) =>
  Effect.gen(function* () {
    const abort = new AbortController()
    const events: Array<AgentEvent> = []
    yield* AgentRuntime.use((agent) =>
      agent.execute({ prompt: "hello", abortSignal: abort.signal }).pipe(
        Stream.runForEach((event) =>
          Effect.sync(() => {
            const isFirst = event.type === "text" && events.every(({ type }) => type !== "text")
            events.push(event)
            if (isFirst) act(abort)
          })
        )
      )
    ).pipe(Effect.provide(layerOf(options)))
    return events
  })

const holdUp = (ms: number) => {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}

const date = Date.now
const setDate = (byMs: number) => {
  Date.now = () => date() + byMs
}
const withOwnDate = Effect.addFinalizer(() =>
  Effect.sync(() => {
    Date.now = date
  })
)
const oneHour = 3_600_000

describe("an event loop that is held up for longer than the budget", () => {
  it.live("ends no healthy run, and loses no result that stands in the pipe", () =>
    Effect.gen(function* () {
      const options = { ...(yield* performing(lively)), timeouts: { idle: "2 seconds" } } as const
      const events = yield* actingAtText(options, () => holdUp(3_500))
      assert.deepStrictEqual(endingOf(events), completed)
      assert.strictEqual(resultOf(events).text, "abcde")
      assert.isAtLeast(resultOf(events).durationMs, 3_500)
    })
  )

  it.live("leaves a request its whole time to be answered", () =>
    Effect.gen(function* () {
      const { session, begin, log } = yield* open("claude", {
        approvals: [Approvals.ask(undefined, { deadline: "2500 millis" })]
      })
      yield* begin({ ask: { id: "a", command: "run a" } }, { await: 1 }, { tell: true })
      const { requestId } = yield* requested(log, "run a")
      holdUp(4_000)
      yield* Effect.sleep(50)
      assert.isTrue(yield* session.decide(requestId, { decision: "allow" }))
      yield* turnsDone(log, 1)
      assert.deepStrictEqual(content(log.events), ["a=allow"])
    })
  )
})

describe("a host that is stopped", () => {
  it.live("goes on where it was when it is continued", () =>
    Effect.gen(function* () {
      const { command } = yield* performing(lively)
      const script = fileURLToPath(new URL("./hosts/pausable.ts", import.meta.url))
      const host = spawn(process.execPath, [script, command, "2000"], { stdio: ["ignore", "pipe", "inherit"] })
      yield* endLater(host.pid ?? 0)
      let reported = ""
      host.stdout.on("data", (chunk) => {
        reported += chunk
      })
      const closed = once(host, "close")
      yield* until(() => reported.includes('"text":"a"'))
      host.kill("SIGSTOP")
      yield* Effect.sleep("4 seconds")
      host.kill("SIGCONT")
      yield* Effect.promise(() => closed)
      const events = yield* Effect.forEach(reported.trimEnd().split("\n"), (line) =>
        Schema.decodeUnknownEffect(Schema.fromJsonString(AgentEvent))(line)
      )
      assert.deepStrictEqual(endingOf(events), completed)
      assert.strictEqual(resultOf(events).text, "abcde")
    })
  )
})

describe("a date that is set while a run goes on", () => {
  it.live("forward by an hour: ends no healthy run", () =>
    Effect.gen(function* () {
      yield* withOwnDate
      // Longer than half of the budget: the watchdog looks while nothing has come since the date was set.
      const slow = yield* performing(FakeCli.claude([Step.text("a"), Step.wait("2 seconds"), Step.result()]))
      const timeouts = { idle: "3500 millis", total: "10 minutes" } as const
      const events = yield* actingAtText({ ...slow, timeouts }, () => setDate(oneHour))
      assert.deepStrictEqual(endingOf(events), completed)
      assert.isBelow(resultOf(events).durationMs, oneHour)
    })
  )

  it.live(
    "back by an hour: a silent run is ended all the same, and took no negative time",
    () =>
      Effect.gen(function* () {
        yield* withOwnDate
        const silent = yield* performing(FakeCli.claude([Step.text("a"), Step.hang()]))
        const events = yield* actingAtText({ ...silent, timeouts: { idle: "1 second" } }, () => setDate(-oneHour))
        assert.deepStrictEqual(endingOf(events), timedOut("idle"))
        assert.isAtLeast(resultOf(events).durationMs, 0)
      }),
    10_000
  )

  it.live(
    "back by an hour after the stop signal: a process that does not heed it is killed after its grace",
    () =>
      Effect.gen(function* () {
        yield* withOwnDate
        const deaf = yield* performing(FakeCli.claude([Step.text("a"), Step.hang({ deaf: true })]))
        const events = yield* actingAtText({ ...deaf, killGrace: "1 second" }, (abort) => {
          abort.abort()
          setTimeout(() => setDate(-oneHour), 300)
        })
        assert.deepStrictEqual(endingOf(events), abortedEnding)
      }),
    10_000
  )
})
