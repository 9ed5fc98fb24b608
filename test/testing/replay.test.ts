/** A recording played back by a real process is the run that was recorded: all there are, and those of this test. */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { AgentRuntime } from "../../src/AgentRuntime.ts"
import { clis } from "../../src/Agents.ts"
import { boundedFacts } from "../../src/cli/boundedFacts.ts"
import type { Cli } from "../../src/cli/Cli.ts"
import { makeCodex } from "../../src/cli/codex/index.ts"
import type { AgentEvent } from "../../src/contract/AgentEvent.ts"
import { nodePlatform } from "../../src/process/Platform.ts"
import { FakeCli, InvalidFake, Step } from "../../src/testing.ts"
import { type Fixture, fixturesOf, recordingPath } from "../cli/fixtures.ts"
import { killGrace } from "../kit/agent.ts"
import { completed, endingOf, resultOf, timedOut } from "../kit/events.ts"
import { modeOf } from "../kit/files.ts"
import { makeDirectory } from "../kit/temporary.ts"
import { eventsOf, ids, runOf } from "./kit.ts"

/** As a consumer in another language gets it: undefined values are gone. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

/** The process as it ended when it was recorded. */
const asRecorded = (cli: Cli, fixture: Fixture) => {
  const { exit, stderr } = fixture.expectation
  const last = "code" in exit ? Step.exit(exit.code) : Step.signal(exit.signal as NodeJS.Signals)
  const end = [...(stderr === undefined ? [] : [Step.stderr(`${stderr}\n`)]), last]
  return FakeCli.replay(cli.id as "claude", recordingPath(cli, fixture), { end })
}

/** Codex remembers its threads: each run is the first of its CLI. */
const fresh = (cli: Cli) => (cli.id === "codex" ? makeCodex() : cli)

/** Several recordings are of one session, and the runs of this test go on at once. */
const isQueued = (event: AgentEvent) => event.type === "notice" && event.kind === "queued"

describe.each(ids)("the recordings of %s", (id) => {
  const cli = clis[id]

  it.live(
    "give the events and the end that were reviewed",
    () =>
      Effect.gen(function* () {
        const workingDirectory = yield* makeDirectory
        const check = Effect.fnUntraced(function* (fixture: Fixture) {
          const { params, events: expected, result, goesOn } = fixture.expectation
          const { command } = yield* FakeCli.make(asRecorded(cli, fixture))
          const events = yield* AgentRuntime.use((agent) =>
            Stream.runCollect(agent.execute({ prompt: "hello", workingDirectory, ...params }))
          ).pipe(Effect.provide(AgentRuntime.layer(fresh(cli), { killGrace, command })), Effect.provide(nodePlatform))
          const told = eventsOf(events).filter((event) => !isQueued(event))
          // Where more prompts followed, a run of one prompt has their beginning.
          const absolute = (events: ReadonlyArray<AgentEvent>) =>
            events.map((event) => boundedFacts(event, workingDirectory))
          const beginning = goesOn === true ? expected.slice(0, told.length) : expected
          assert.deepStrictEqual(plain(told), plain(absolute(beginning)), fixture.name)
          if (goesOn === true) return
          const { outcome, reason, text, usage } = result
          const ended = resultOf(events)
          const facts = { outcome: ended.outcome, reason: ended.reason, text: ended.text, usage: ended.usage }
          assert.deepStrictEqual(plain(facts), plain({ outcome, reason, text, usage }), fixture.name)
        }, Effect.scoped)
        yield* Effect.forEach(fixturesOf(cli), check, { concurrency: 3, discard: true })
      }),
    240_000
  )
})

/** Three lines that come at these times. */
const recorded = Effect.fnUntraced(function* (times: ReadonlyArray<number>) {
  const file = join(yield* makeDirectory, "wire.ndjson")
  const lines = [
    { type: "thread.started", thread_id: "t" },
    { type: "item.completed", item: { id: "item_0", type: "agent_message", text: "a" } },
    { type: "turn.completed" }
  ]
  writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(""))
  writeFileSync(`${file}.times`, times.map((ms) => `${ms}\n`).join(""))
  return file
})

describe("the times of a recording", () => {
  it.live("are one a line, ascending, for the owner alone, and as far apart as the lines", () =>
    Effect.gen(function* () {
      const record = join(yield* makeDirectory, "wire.ndjson")
      const steps = [Step.session(), Step.wait("150 millis"), Step.text("a"), Step.wait("150 millis"), Step.text("b")]
      yield* runOf(FakeCli.codex(steps), { record })
      const lines = readFileSync(record, "utf8").split("\n").slice(0, -1)
      const times = readFileSync(`${record}.times`, "utf8").split("\n").slice(0, -1)
      assert.strictEqual(lines.length, 5)
      assert.strictEqual(times.length, lines.length)
      for (const time of times) assert.match(time, /^\d+$/)
      const ms = times.map(Number)
      assert.deepStrictEqual(
        ms.toSorted((a, b) => a - b),
        ms
      )
      const atText = (text: string) => ms[lines.findIndex((line) => line.includes(`"text":"${text}"`))] ?? 0
      assert.isAtLeast(atText("a"), 150)
      assert.isAtLeast(atText("b"), 300)
      assert.strictEqual(modeOf(`${record}.times`), 0o600)
    })
  )

  it.live("are kept when it is played back with them, and not without", () =>
    Effect.gen(function* () {
      const file = yield* recorded([0, 200, 400])
      const timed = yield* runOf(FakeCli.replay("codex", file, { timing: "recorded" }))
      assert.deepStrictEqual(endingOf(timed.events), completed)
      assert.isAtLeast(resultOf(timed.events).durationMs, 400)
      const anHour = yield* recorded([0, 1_000, 3_600_000])
      const untimed = yield* runOf(FakeCli.replay("codex", anHour))
      assert.deepStrictEqual(endingOf(untimed.events), completed)
      const slow = FakeCli.replay("codex", anHour, { timing: "recorded", factor: 10_000_000 })
      const silent = yield* runOf(slow, {}, { timeouts: { idle: "1 second" } })
      assert.deepStrictEqual(endingOf(silent.events), timedOut("idle"))
      const quick = yield* runOf(FakeCli.replay("codex", anHour, { timing: "recorded", factor: 0.000_1 }))
      assert.deepStrictEqual(endingOf(quick.events), completed)
      assert.isAtLeast(resultOf(quick.events).durationMs, 360)
    })
  )

  it.live("are missed, or of another recording: the fake is refused", () =>
    Effect.gen(function* () {
      const file = yield* recorded([0, 1])
      const replay = (name: string) => () => FakeCli.replay("codex", name, { timing: "recorded" })
      assert.throws(replay(file), InvalidFake, "has 3 lines, and its times are not of them")
      writeFileSync(`${file}.times`, "2\n1\n3\n")
      assert.throws(replay(file), InvalidFake, "its times are not of them")
      writeFileSync(join(file, "..", "bare.ndjson"), "{}\n")
      assert.throws(
        replay(join(file, "..", "bare.ndjson")),
        InvalidFake,
        "its times cannot be read; record the run anew"
      )
      for (const factor of [Number.NaN, Number.POSITIVE_INFINITY, -1]) {
        assert.throws(() => FakeCli.replay("codex", file, { factor }), InvalidFake, `factor: ${factor} is none`)
      }
      assert.throws(replay("/nowhere.ndjson"), InvalidFake, 'recording "/nowhere.ndjson": cannot be read; `record`')
    })
  )
})

describe.each(ids)("%s", (id) => {
  it.live("a run that is recorded, played back and recorded again has the same lines", () =>
    Effect.gen(function* () {
      const directory = yield* makeDirectory
      const [first, second] = ["first", "second"].map((name) => join(directory, name))
      const steps = [Step.text(["wörld ", "🎉"]), Step.line("no JSON \u2028"), Step.text("end")]
      const live = yield* runOf(FakeCli[id](steps), { record: first })
      const again = yield* runOf(FakeCli.replay(id, first ?? "", { timing: "recorded" }), { record: second })
      assert.strictEqual(readFileSync(second ?? "", "utf8"), readFileSync(first ?? "", "utf8"))
      assert.deepStrictEqual(eventsOf(again.events), eventsOf(live.events))
      assert.include(readFileSync(first ?? "", "utf8"), "no JSON \u2028\n")
    })
  )

  it.live("only its first lines are played back, and another end", () =>
    Effect.gen(function* () {
      const record = join(yield* makeDirectory, "wire")
      yield* runOf(FakeCli[id]([Step.text("a")]), { record })
      const cut = FakeCli.replay(id, record, {
        lines: 1,
        end: [Step.line('{"half', { newline: false }), Step.exit(7)]
      })
      const { events } = yield* runOf(cut)
      assert.deepStrictEqual(
        eventsOf(events).map(({ type }) => type),
        ["session", "notice"]
      )
      assert.deepInclude(resultOf(events), { reason: "exited", exit: { code: 7 } })
    })
  )
})
