/** The outcome of a run is checked against its possible outcomes: each kind of lie is found. */
import { assert, it } from "vitest"
import type { AgentRunResult } from "../../../src/contract/AgentRunResult.ts"
import type { RunAccount } from "../../../tools/chaos/account.ts"
import { findingsOf } from "../../../tools/chaos/checks.ts"
import { expectationOf } from "../../../tools/chaos/expectation.ts"
import { warmUpOf } from "../../../tools/chaos/warmUps.ts"

const scenario = warmUpOf("claude", "promise")
const params = [{ prompt: "hello" }]
const whole = expectationOf(scenario, scenario.runs[0], { prompt: "hello" }).whole
const text = whole?.text ?? assert.fail("the recording is whole")

const result: AgentRunResult = {
  outcome: "completed",
  reason: "completed",
  text,
  sessionId: undefined,
  durationMs: 1,
  usage: undefined,
  aborted: false
}
const counts: Record<string, number> = { done: 1 }
for (const { type } of whole?.events ?? []) counts[type] = (counts[type] ?? 0) + 1
const good: RunAccount = { how: "ended", counts, dones: 1, isDoneLast: true, joinedText: text, result, fired: [] }

const kindsOf = (changes: Partial<RunAccount>) =>
  findingsOf(scenario, params, { runs: [{ ...good, ...changes }], fired: [] }, 1).map(({ kind }) => kind)

const { result: _, ...withoutResult } = good

it.each<readonly [string, Partial<RunAccount>, ReadonlyArray<string>]>([
  ["a good run", {}, []],
  ["two done", { dones: 2 }, ["doubled done"]],
  ["an event behind done", { isDoneLast: false }, ["doubled done"]],
  ["a run that throws", { how: "threw", problem: "a defect" }, ["missing done"]],
  [
    "a reason that cannot be",
    { result: { ...result, reason: "aborted", outcome: "aborted", aborted: true } },
    ["wrong reasons"]
  ],
  ["an outcome that is not the reason's", { result: { ...result, outcome: "failed" } }, ["wrong reasons"]],
  ["a result that contradicts itself", { result: { ...result, aborted: true } }, ["wrong reasons"]],
  ["text that is not the result's", { joinedText: `${text}.` }, ["lost or doubled events"]],
  ["text that is not the program's", { joinedText: "", result: { ...result, text: "" } }, ["lost or doubled events"]],
  ["an event too many", { counts: { ...counts, text: 99 } }, ["lost or doubled events"]],
  ["an end that comes too late", { endedAfterMs: 60_000 }, ["hangs"]]
])("%s", (_name, changes, kinds) => {
  assert.deepStrictEqual(kindsOf(changes), kinds)
})

it("a stream without done", () => {
  const account = { runs: [{ ...withoutResult, dones: 0, isDoneLast: false }], fired: [] }
  assert.deepStrictEqual(
    findingsOf(scenario, params, account, 1).map(({ kind }) => kind),
    ["missing done"]
  )
})
