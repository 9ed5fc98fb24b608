/** A whole answer whose result never comes: after `timeouts.settle` of silence it counts, unless anything still runs. */
import { readdirSync, readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { at } from "../../../src/cli/jsonFields.ts"
import type { AgentEvent } from "../../../src/contract/AgentEvent.ts"
import { completed, endingOf, kindsOf, resultOf, timedOut } from "../../kit/events.ts"
import { recordingUrl } from "../../kit/recordings.ts"
import { type Watched, watched } from "../../kit/watched.ts"
import { background, hook, init, message, result, taskEnded, toolUse } from "../../kit/wire.ts"

const settlesAfter = ({ events, hasEnded, pass }: Watched, ms: number) =>
  Effect.gen(function* () {
    yield* pass(ms - 1)
    assert.isFalse(hasEnded(), "ended early")
    yield* pass(1)
    assert.isTrue(hasEnded(), "did not end")
    assert.deepStrictEqual(endingOf(events), completed)
    assert.deepStrictEqual(kindsOf(events), ["stalled", "result_missing"])
  })

const doneOf = (events: ReadonlyArray<AgentEvent>) => events.filter(({ type }) => type === "done").length

describe("an answer without a result", () => {
  it.effect("counts after 60 s of silence, with the usage that the stream has told", () =>
    watched((run) =>
      Effect.gen(function* () {
        yield* run.script.say(init(), ...message("the whole answer"))
        yield* settlesAfter(run, 60_000)
        const { text, usage, stopReason, sessionId } = resultOf(run.events)
        assert.deepStrictEqual(
          { text, usage, stopReason, sessionId },
          {
            text: "the whole answer",
            usage: { inputTokens: 10, outputTokens: 5 },
            stopReason: "end_turn",
            sessionId: "session-1"
          }
        )
        assert.deepStrictEqual(run.script.signals, ["SIGTERM"])
      })
    )
  )

  it.effect("counts after the caller's own limit", () =>
    watched(
      (run) => Effect.andThen(run.script.say(init(), ...message("hi")), settlesAfter(run, 5_000)),
      { timeouts: { settle: "5 minutes" } },
      { timeouts: { settle: "5 seconds" } }
    )
  )

  it.effect("counts after the limit of idle, where that is shorter", () =>
    watched((run) => Effect.andThen(run.script.say(init(), ...message("hi")), settlesAfter(run, 5_000)), {
      timeouts: { idle: "5 seconds" }
    })
  )

  it.effect("waits for its result where the limit is switched off", () =>
    watched(
      (run) =>
        Effect.gen(function* () {
          yield* run.script.say(init(), ...message("hi"))
          yield* run.pass("1 hour")
          assert.isFalse(run.hasEnded())
          yield* run.script.say(result("hi"))
          assert.deepStrictEqual(endingOf(run.events), completed)
          assert.deepStrictEqual(kindsOf(run.events), [])
          yield* run.script.exit({ code: 0 })
        }),
      { timeouts: { settle: "Infinity" } }
    )
  )

  it.effect("doubles nothing where the result comes late: within the limit it is the end, after it nothing", () =>
    Effect.forEach([59_999, 60_000], (ms) =>
      watched((run) =>
        Effect.gen(function* () {
          run.script.ignoreSignals()
          yield* run.script.say(init(), ...message("hi"))
          yield* run.pass(ms)
          yield* run.script.say(result("hi", { usage: { input_tokens: 10, output_tokens: 5 } }))
          assert.strictEqual(doneOf(run.events), 1)
          const { text, usage } = resultOf(run.events)
          assert.deepStrictEqual([text, usage], ["hi", { inputTokens: 10, outputTokens: 5 }])
          const isLate = ms === 60_000
          assert.deepStrictEqual(kindsOf(run.events), isLate ? ["stalled", "result_missing"] : ["stalled"])
        })
      )
    )
  )

  const waiting: ReadonlyArray<readonly [string, ReadonlyArray<unknown>, string, number]> = [
    ["the message ended for another reason", message("hi", "max_tokens"), "idle", 400_000],
    ["the message waits for a tool", message("hi", "tool_use"), "idle", 400_000],
    ["the stream of the message broke off", message("hi").slice(0, 3), "idle", 400_000],
    ["a call is open", [toolUse("t1"), ...message("hi")], "tool", 3_600_000],
    ["background work is open", [background("b1"), ...message("hi")], "tool", 3_600_000],
    [
      "the end of background work is not yet told",
      [background("b1"), taskEnded("b1"), background(), ...message("hi")],
      "idle",
      400_000
    ],
    ["a hook runs", [...message("hi"), hook("hook_started")], "idle", 400_000],
    [
      "two hooks ran, and one still does",
      [...message("hi"), hook("hook_started"), hook("hook_started", "h2"), hook("hook_response", "h2")],
      "idle",
      400_000
    ],
    [
      "a hook has made the model go on",
      [...message("hi"), { type: "user", message: { content: "go on" }, isSynthetic: true, parent_tool_use_id: null }],
      "idle",
      400_000
    ],
    [
      "the model is asked again",
      [
        ...message("hi"),
        { type: "system", subtype: "status", status: "requesting", session_id: "session-1", uuid: "u" }
      ],
      "idle",
      400_000
    ],
    ["the next message has begun", [...message("hi"), ...message("more").slice(0, 1)], "idle", 400_000]
  ]

  it.effect.each(waiting)("does not count while %s", ([, lines, state, budget]) =>
    watched((run) =>
      Effect.gen(function* () {
        yield* run.script.say(init(), ...lines)
        yield* run.pass(budget - 1)
        assert.isFalse(run.hasEnded())
        yield* run.pass(1)
        assert.deepStrictEqual(endingOf(run.events), timedOut(state))
      })
    )
  )

  it.effect("counts after the last of its hooks, whether or not an earlier one ever reported its end", () =>
    watched((run) =>
      Effect.gen(function* () {
        yield* run.script.say(init(), hook("hook_started", "earlier"), ...message("hi"), hook("hook_started"))
        yield* run.pass("5 minutes")
        yield* run.script.say(hook("hook_response"))
        yield* run.pass(59_999)
        assert.isFalse(run.hasEnded())
        yield* run.pass(1)
        assert.deepStrictEqual(endingOf(run.events), completed)
      })
    )
  )

  it.effect("is a failure where the process leaves without a result", () =>
    watched((run) =>
      Effect.gen(function* () {
        yield* run.script.say(init(), ...message("hi"))
        yield* run.script.exit({ code: 0 })
        assert.strictEqual(resultOf(run.events).reason, "no_result")
      })
    )
  )

  it.effect("has to match the schema of the run like any other", () =>
    watched(
      (run) =>
        Effect.gen(function* () {
          yield* run.script.say(init(), ...message("no JSON"))
          yield* run.pass("60 seconds")
          assert.strictEqual(resultOf(run.events).reason, "schema_not_met")
        }),
      {},
      { outputSchema: { type: "object" }, retries: 0 }
    )
  )
})

const linesOf = (path: string) =>
  readFileSync(recordingUrl("claude", path), "utf8")
    .split("\n")
    .filter((line) => line.startsWith("{"))

const isEnd = (line: string) => {
  const json: unknown = JSON.parse(line)
  return at(json, "event", "type") === "message_stop" || at(json, "message", "stop_reason") === "end_turn"
}

/** The recordings that tell the end of their last message, `end_turn`, cut after it. */
const cutRecordings = readdirSync(recordingUrl("claude", "."))
  .filter((name) => name.endsWith(".ndjson"))
  .flatMap((name) => {
    const lines = linesOf(name)
    const stop = lines.findLastIndex(isEnd)
    const last: unknown = JSON.parse(lines.at(-1) ?? "{}")
    const isGood = at(last, "is_error") === false && at(last, "stop_reason") === "end_turn"
    const results = lines.filter((line) => at(JSON.parse(line), "type") === "result").length
    return stop === -1 || !isGood || results > 1 ? [] : [{ name, lines, cut: lines.slice(0, stop + 1) }]
  })

const end = (lines: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    let all: ReadonlyArray<AgentEvent> = []
    yield* watched(({ script, events, pass }) =>
      Effect.gen(function* () {
        yield* script.print(lines.map((line) => `${line}\n`).join(""))
        yield* pass("60 seconds")
        all = events
      })
    )
    return all
  })

describe("recordings", () => {
  it("are there", () => {
    assert.isAtLeast(cutRecordings.length, 10)
  })

  it.effect.each(cutRecordings)("$name, cut after its last message, ends like the whole", ({ lines, cut }) =>
    Effect.gen(function* () {
      const [whole, short] = [yield* end(lines), yield* end(cut)]
      assert.strictEqual(resultOf(short).outcome, "completed")
      assert.strictEqual(resultOf(short).text, resultOf(whole).text)
      assert.strictEqual(resultOf(short).sessionId, resultOf(whole).sessionId)
      const [streamed, spent] = [resultOf(short).usage, resultOf(whole).usage]
      // The output of sub-agents and of broken streams is in the result alone, which leaves out a stream that was given up.
      if (at(JSON.parse(cut.at(-1) ?? ""), "type") === "stream_event") {
        assert.deepStrictEqual({ ...streamed, outputTokens: 0 }, { ...spent, outputTokens: 0 })
        assert.isAtMost(streamed?.outputTokens ?? 0, spent?.outputTokens ?? 0)
      }
      assert.strictEqual(resultOf(short).stopReason, resultOf(whole).stopReason)
      assert.strictEqual(doneOf(short), 1)
      assert.strictEqual(kindsOf(short).filter((kind) => kind === "result_missing").length, 1)
      assert.notInclude(kindsOf(whole), "result_missing")
    })
  )
})
