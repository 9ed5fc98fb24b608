/** A recording played back by a real process is the run that was recorded: one of each kind, and those of this test. */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { clis } from "../../src/agents/Agents.ts"
import { FakeCli, InvalidFake, Step } from "../../src/testing.ts"
import { fixturesOf } from "../cli/fixtures.ts"
import { completed, endingOf, resultOf, timedOut } from "../kit/events.ts"
import { modeOf } from "../kit/files.ts"
import { makeDirectory } from "../kit/temporary.ts"
import { eventsOf, ids, runOf } from "./kit.ts"
import { playsAsReviewed } from "./recorded.ts"

describe.each(ids)("a recording of each kind of %s", (id) => {
  const cli = clis[id]

  /** `02-bash` and `02-edit` are of one kind. All of them are played where faults are tested. */
  const firstOfKind = () => {
    const kinds = new Map(
      fixturesOf(cli)
        .toReversed()
        .map((fixture) => [fixture.name.slice(0, 2), fixture])
    )
    return [...kinds.values()]
  }

  it.live(
    "gives the events and the end that were reviewed",
    () =>
      Effect.gen(function* () {
        const check = playsAsReviewed(cli, yield* makeDirectory)
        yield* Effect.forEach(firstOfKind(), check, { concurrency: 3, discard: true })
      }),
    120_000
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
        assert.throws(
          () => FakeCli.replay("codex", file, { factor }),
          InvalidFake,
          `factor: ${factor} is not a factor for times: use a number, 0 or more`
        )
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
