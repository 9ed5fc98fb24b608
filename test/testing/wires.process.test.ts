/** The wire streams that are made are what a CLI prints and a process says, and mean what they say they mean. */
import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Effect, Schema } from "effect"
import { readAll } from "../../src/agents/engine/pipeline.ts"
import { replay } from "../../src/agents/Replay.ts"
import { boundedFacts } from "../../src/cli/boundedFacts.ts"
import { type CliId, clis } from "../../src/cli/clis.ts"
import type { AgentEvent } from "../../src/contract/AgentEvent.ts"
import { makeParagraphs } from "../../src/contract/paragraphs.ts"
import { FakeCli } from "../../src/testing.ts"
import { Arbitraries } from "../../src/testingEffect.ts"
import { errorOf, resultOf } from "../kit/events.ts"
import { ids, runOf } from "./kit.ts"

const { wire } = Arbitraries
const often = { arbitrary: { runs: 300 } }

/** Pieces of the given sizes, over and over. */
const cutUp = (text: string, sizes: ReadonlyArray<number>) => {
  const bytes = new TextEncoder().encode(text)
  const chunks: Array<Uint8Array> = []
  for (let from = 0, index = 0; from < bytes.length; index++) {
    const size = 1 + ((sizes[index % sizes.length] ?? 0) % 500)
    chunks.push(bytes.subarray(from, from + size))
    from += size
  }
  return chunks
}

/** The events of the chunks, without an end. */
const eventsOf = (cli: CliId, chunks: ReadonlyArray<Uint8Array>) => {
  const events = readAll(clis[cli].decoder({ prompt: "" }).stages, chunks)
  const session = events.find((event) => event.type === "session")
  const separated = makeParagraphs()
  return events.flatMap((event) => separated(boundedFacts(event, session?.workingDirectory)) ?? [])
}

const toolsOf = (events: ReadonlyArray<AgentEvent>) => {
  const names = new Map(events.flatMap((event) => (event.type === "tool_use" ? [[event.toolId, event.toolName]] : [])))
  return events.flatMap((event) => {
    if (event.type !== "tool_result") return []
    const { toolId, output, isError } = event
    return [{ toolId, toolName: names.get(toolId) ?? "never called", output, isError }]
  })
}

const byId = (tools: ReadonlyArray<Arbitraries.WireTool>) =>
  tools.toSorted((a, b) => Number(a.toolId.slice(5)) - Number(b.toolId.slice(5)))

/** The meaning of these events, for a comparison with the intended one. */
const meaningOf = (events: ReadonlyArray<AgentEvent>): Omit<Arbitraries.Wire, "lines" | "transcript" | "steps"> => {
  const { text, outcome, usage } = resultOf(events)
  const category = outcome === "completed" ? {} : { category: errorOf(events).category }
  const reported = outcome === "completed" && usage !== undefined ? { usage } : {}
  return { text, outcome, tools: byId(toolsOf(events)), ...category, ...reported }
}

describe.each(ids)("the wire of %s", (cli) => {
  it.prop(
    "means what it says it means, however it is cut",
    [wire(cli), Arbitrary.array(Arbitrary.schema(Schema.Natural), { minLength: 1 })],
    ([{ lines, transcript, steps: _, ...meaning }, sizes]) => {
      const events = replay(clis[cli], transcript)
      assert.strictEqual(lines.join("\n"), transcript.trimEnd())
      assert.deepStrictEqual(meaningOf(events), meaning)
      const middle = events.filter(({ type }) => type !== "error" && type !== "done")
      assert.deepStrictEqual(eventsOf(cli, cutUp(transcript, sizes)), middle)
      assert.deepStrictEqual(
        middle.filter(
          (event) => event.type === "unknown" || (event.type === "notice" && event.kind === "malformed_line")
        ),
        []
      )
    },
    often
  )

  it.effect("has every end, tools at the same time, and what was withdrawn", () =>
    Effect.gen(function* () {
      const wires = yield* Arbitrary.sampleEffect(wire(cli), { count: 300, size: 10, seed: 1 })
      const categories = new Set(wires.map(({ category }) => category))
      assert.strictEqual(categories.size, 10)
      assert.isTrue(wires.some(({ tools }) => tools.length > 1))
      assert.isTrue(wires.some(({ text, outcome }) => text !== "" && outcome === "completed"))
      const voids = wires.some(({ transcript }) =>
        replay(clis[cli], transcript).some((event) => event.type === "notice" && event.kind === "text_voided")
      )
      assert.strictEqual(voids, cli === "opencode" || cli === "pi")
    })
  )

  it.effect("is what a process says that performs its steps", () =>
    Effect.gen(function* () {
      const wires = yield* Arbitrary.sampleEffect(wire(cli), { count: 8, size: 6, seed: 4 })
      for (const { steps, lines: _, transcript: __, ...meaning } of wires) {
        const { events } = yield* runOf(FakeCli[cli](steps))
        assert.deepStrictEqual(meaningOf(events), meaning)
      }
      const ends = new Set(wires.map(({ outcome, category }) => category ?? outcome))
      assert.includeMembers([...ends], ["completed", "protocol"])
    })
  )
})
