/** Texts before and after a tool call, for every CLI: separated by an empty line, in the events as in the result. */
import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { AgentRuntime } from "../../src/agents/AgentRuntime.ts"
import { clis } from "../../src/agents/Agents.ts"
import { replay } from "../../src/agents/Replay.ts"
import { FakeCli, LiveStep, Step } from "../../src/testing.ts"
import { InstalledFake } from "../../src/testingEffect.ts"
import { killGrace } from "../kit/agent.ts"
import { textOf } from "../kit/events.ts"
import { ids, typed } from "../kit/live.ts"
import { recordingUrl } from "../kit/recordings.ts"

const expected = "I look.\n\nIt is a.\n\nSo it is."

const recordings = [
  ["claude", "01-text-tool-text", "Before.\n\nAfter."],
  ["claude", "12-bash-background-long", "Started it.\n\nIt has finished."],
  ["gemini", "02-shell-tool", "I will run it.\n\nIt said hi."]
] as const

it.each(recordings)("a recording of %s is replayed so: %s", (id, name, text) => {
  const events = replay(clis[id], readFileSync(recordingUrl(id, `${name}.ndjson`), "utf8"))
  assert.strictEqual(textOf(events), text)
  assert.strictEqual(typed(events, "done")[0]?.result.text, text)
})

describe.each(ids)("%s", (id) => {
  it.live("in a run", () =>
    Effect.gen(function* () {
      const events = yield* AgentRuntime.use((agent) => Stream.runCollect(agent.execute({ prompt: "go" })))
      assert.strictEqual(textOf(events), expected)
      assert.strictEqual(typed(events, "done")[0]?.result.text, expected)
    }).pipe(
      Effect.provide(
        InstalledFake.layer(
          FakeCli[id]([
            Step.text(["I ", "look."]),
            Step.tool({ name: id === "codex" ? "command_execution" : "Bash", input: { command: "ls" }, output: "a" }),
            Step.text(["It ", "is a."]),
            Step.tool({ name: id === "codex" ? "command_execution" : "Bash", input: { command: "ls" }, output: "a" }),
            Step.text("So it is.")
          ]),
          { killGrace }
        )
      )
    )
  )

  it.live("in each turn of a live session", () =>
    Effect.gen(function* () {
      const agent = yield* AgentRuntime
      const session = yield* agent.open()
      for (const prompt of ["go", "again"]) {
        const events = yield* Stream.runCollect(session.turn(prompt))
        assert.strictEqual(textOf(events), expected)
        assert.strictEqual(typed(events, "turn_done")[0]?.result.text, expected)
      }
    }).pipe(
      Effect.scoped,
      Effect.provide(
        InstalledFake.layer(
          FakeCli.live(id, [
            [
              LiveStep.text("I look."),
              LiveStep.command({ command: "ls" }),
              LiveStep.text("It is a."),
              LiveStep.command({ command: "ls" }),
              LiveStep.text("So it is.")
            ]
          ]),
          { killGrace }
        )
      )
    )
  )
})
