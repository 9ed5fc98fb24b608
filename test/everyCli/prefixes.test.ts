/**
 * Every prefix of every recording, cut between lines and inside them, with every kind of exit: exactly one `done`,
 * last, with a reason, and the text of the events that came before it.
 */
import { Schema } from "effect"
import { assert, describe, it } from "vitest"
import type { AgentEvent } from "../../src/contract/AgentEvent.ts"
import type { ProcessExit } from "../../src/contract/AgentRunResult.ts"
import { RunReason } from "../../src/contract/FailureReason.ts"
import { type Fixture, fixturesOf, named } from "../cli/fixtures.ts"
import { linesOf, type Outcome, readTranscript } from "../cli/transcript.ts"
import { everyCli } from "../kit/clis.ts"

const exits: ReadonlyArray<ProcessExit> = [{ code: 0 }, { code: 1 }, { code: 143 }, { signal: "SIGKILL" }]

const isReason = Schema.is(RunReason)

const textOf = (events: ReadonlyArray<AgentEvent>) =>
  events.reduce((text, event) => {
    if (event.type === "text" && event.parentToolId === undefined) return text + event.text
    if (event.type !== "notice" || event.kind !== "text_voided") return text
    return text.slice(0, text.length - Number(event.data?.["characters"]))
  }, "")

const hasEnded = ({ certainAfter }: Outcome) => certainAfter !== undefined

const checkEnd = (outcome: Outcome, exit: ProcessExit) => {
  const { all, events, result } = outcome
  const ends = all.filter((event) => event.type === "done")
  assert.strictEqual(ends.length, 1)
  assert.strictEqual(all.at(-1), ends[0])
  const isFailed = result.outcome !== "completed"
  assert.deepStrictEqual(
    all.slice(events.length).map((event) => event.type),
    isFailed ? ["error", "done"] : ["done"]
  )
  assert.isTrue(isReason(result.reason))
  assert.strictEqual(result.reason === "completed", !isFailed)
  assert.isFalse(result.aborted)
  assert.strictEqual(result.text, textOf(events))
  if (!isFailed && !hasEnded(outcome)) assert.deepStrictEqual(exit, { code: 0 })
  if (hasEnded(outcome) || result.reason === "agent_failed") return
  const expected = "signal" in exit ? "killed" : exit.code !== 0 ? "exited" : isFailed ? "no_result" : "completed"
  assert.strictEqual(result.reason, expected)
}

const prefixes = ({ bytes }: Fixture) => {
  const lines = linesOf(bytes)
  const between = lines.map((_, index) => lines.slice(0, index))
  const inside = lines.map((line, index) => [...lines.slice(0, index), line.subarray(0, Math.ceil(line.length / 2))])
  return { between: [...between, lines], inside }
}

describe.each(Object.values(everyCli))("every prefix of a run of $id", (cli) => {
  it.each(named(fixturesOf(cli)))("%s", (_, fixture) => {
    const { params = {}, goesOn = false } = fixture.expectation
    const { between, inside } = prefixes(fixture)
    const read = (chunks: ReadonlyArray<Uint8Array>) => {
      const leave = readTranscript(cli, { chunks, params, goesOn })
      for (const exit of exits) checkEnd(leave(exit), exit)
      return leave({ code: 0 }).events
    }
    const whole = read(linesOf(fixture.bytes))
    for (const chunks of between) {
      const events = read(chunks)
      assert.deepStrictEqual(events, whole.slice(0, events.length))
    }
    for (const chunks of inside) {
      const events = read(chunks)
      const last = events.at(-1)
      assert.strictEqual(last?.type === "notice" ? last.kind : last?.type, "malformed_line")
      assert.deepStrictEqual(events.slice(0, -1), whole.slice(0, events.length - 1))
    }
  })
})
