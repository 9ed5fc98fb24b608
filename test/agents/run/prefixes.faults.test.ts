/** Every recording, cut after any of its lines, with any end of the process: exactly one `done`, and it is last. */
import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { endingOf, errorOf, resultOf, textOf } from "../../kit/events.ts"
import { recordingUrl } from "../../kit/recordings.ts"
import type { Script } from "../../kit/scripted.ts"
import { watched } from "../../kit/watched.ts"

const linesOf = (scenario: string) =>
  readFileSync(recordingUrl("claude", `${scenario}.ndjson`), "utf8")
    .split("\n")
    .filter((line) => line.trim() !== "")

/** Plain, thinking, parallel tools with a failure, retries, a withdrawn stream, background work, sub-agents, a denial. */
const scenarios = [
  "01-text-tool-text",
  "03-parallel",
  "04-thinking-partial",
  "06-529-partial",
  "06-cut-mid",
  "12-agent-background",
  "12-agent-two",
  "12-bash-background-long"
]

const ends = {
  "exit 0": (script: Script["Service"]) => script.exit({ code: 0 }),
  "exit 1": (script: Script["Service"]) => script.exit({ code: 1 }),
  "exit 143": (script: Script["Service"]) => script.exit({ code: 143 }),
  SIGKILL: (script: Script["Service"]) => script.exit({ signal: "SIGKILL" }),
  hang: () => Effect.void
} as const

/** `watched` lets a day pass and checks the one `done`. */
const cut = (lines: ReadonlyArray<string>, end: keyof typeof ends, cutInLine = false) =>
  Effect.gen(function* () {
    let outcome = ""
    yield* watched(({ script, events, pass }) =>
      Effect.gen(function* () {
        const whole = lines.map((line) => `${line}\n`).join("")
        if (whole !== "")
          yield* script.print(cutInLine ? whole.slice(0, -Math.ceil((lines.at(-1)?.length ?? 0) / 2)) : whole)
        yield* ends[end](script)
        yield* pass("1 day")
        const result = resultOf(events)
        outcome = result.outcome
        if (result.outcome !== "completed") assert.strictEqual(errorOf(events).message === "", false)
        const voided = events.some((event) => event.type === "notice" && event.kind === "text_voided")
        if (!voided) assert.strictEqual(textOf(events), result.text)
        assert.isTrue(script.hasExited())
      })
    )
    return outcome
  })

describe.each(scenarios)("%s", (scenario) => {
  const lines = linesOf(scenario)
  const lengths = Array.from({ length: lines.length + 1 }, (_, length) => length)

  it.effect.each(Object.keys(ends) as ReadonlyArray<keyof typeof ends>)("cut after any line, then %s", (end) =>
    Effect.gen(function* () {
      assert.isAbove(lines.length, 3)
      const outcomes = yield* Effect.forEach(lengths, (length) => cut(lines.slice(0, length), end))
      assert.notInclude(outcomes, "")
      // Nothing of the run had arrived: this never counts as success.
      assert.notStrictEqual(outcomes[0], "completed")
      if (end === "exit 0") assert.strictEqual(outcomes.at(-1), "completed")
      if (end === "hang") assert.strictEqual(outcomes[0], "timed_out")
    })
  )

  it.effect("cut in the middle of any line, then exit 0", () =>
    Effect.gen(function* () {
      const outcomes = yield* Effect.forEach(lengths.slice(1), (length) => cut(lines.slice(0, length), "exit 0", true))
      assert.strictEqual(outcomes.length, lines.length)
      assert.notInclude(outcomes, "")
    })
  )
})

describe("what the end of the process changes", () => {
  const lines = linesOf("01-text-tool-text")

  it.effect("a death in mid-run is told for what it was", () =>
    Effect.forEach(["exit 1", "exit 143", "SIGKILL", "hang"] as const, (end) =>
      watched(({ script, events, pass }) =>
        Effect.gen(function* () {
          yield* script.print(
            lines
              .slice(0, 3)
              .map((line) => `${line}\n`)
              .join("")
          )
          yield* ends[end](script)
          yield* pass("1 day")
          const reasons = { "exit 1": "exited", "exit 143": "exited", SIGKILL: "killed", hang: "timed_out" } as const
          assert.strictEqual(endingOf(events).reason, reasons[end])
        })
      )
    )
  )
})
