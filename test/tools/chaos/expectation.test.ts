/** Which reasons a drawn run may come to: as few as what happens to it allows. */
import { assert, describe, it } from "vitest"
import { expectationOf } from "../../../tools/chaos/expectation.ts"
import { recordingOf } from "../../../tools/chaos/recordings.ts"
import type { End, Fault, Program, RunPlan, Scenario } from "../../../tools/chaos/scenario.ts"
import { warmUpOf } from "../../../tools/chaos/warmUps.ts"

interface Changes {
  readonly program?: Partial<Program>
  readonly end?: End
  readonly fault?: Fault
  readonly scenario?: Partial<Scenario>
}

/** A plain success of Claude Code, whose last line is certain, or of one whose exit is. */
const expectationFor = (cli: "claude" | "codex" | "opencode", { program, end, fault, scenario }: Changes) => {
  const plain = warmUpOf(cli, "effect")
  const [first] = plain.runs
  const run: RunPlan = {
    ...first,
    program: { ...first.program, ...program, ...(end === undefined ? {} : { end }) },
    fault: fault ?? null
  }
  return expectationOf({ ...plain, ...scenario, runs: [run] }, run, { prompt: "hello" })
}

/** A run of Claude Code whose last line is its result. */
const streamed = recordingOf("claude", "04-thinking-partial")

const at = { after: "asked", ms: 1 } as const
const exits = (code: number): End => ({ is: "exits", code, afterMs: 0 })

const cases: ReadonlyArray<readonly [string, "claude" | "codex" | "opencode", Changes, ReadonlyArray<string>]> = [
  ["said all, exits with 0", "claude", {}, ["completed"]],
  ["said all, exits with 1 when that counts no more", "claude", { end: exits(1) }, ["completed"]],
  ["said all, exits with 1 when that counts", "codex", { end: exits(1) }, ["exited"]],
  ["said nothing, exits with 0", "claude", { program: { lines: 0 } }, ["no_result"]],
  ["said nothing, exits with 1", "codex", { program: { lines: 0 }, end: exits(1) }, ["exited"]],
  ["dies in the middle", "claude", { program: { lines: 1 }, end: { is: "dies", signal: "SIGKILL" } }, ["killed"]],
  ["said all and stays", "claude", { end: { is: "stays" } }, ["completed"]],
  ["said all and stays, which silence confirms", "opencode", { end: { is: "stays" } }, ["completed"]],
  ["said all and stays, which silence confirms", "codex", { end: { is: "stays" } }, ["completed"]],
  [
    "forgets its result",
    "claude",
    { program: { recording: streamed.name, lines: streamed.lines.length - 1 }, end: { is: "stays" } },
    ["completed"]
  ],
  [
    "closes its stdout in the middle",
    "opencode",
    { program: { lines: 1, closesStdout: true }, end: { is: "stays" } },
    ["no_result"]
  ],
  ["is stopped in the middle", "claude", { program: { lines: 1 }, end: { is: "stops" } }, ["timed_out"]],
  ["is aborted", "claude", { fault: { is: "abort", at } }, ["aborted", "completed"]],
  ["was aborted before", "claude", { fault: { is: "aborted before" } }, ["aborted"]],
  ["has a total budget", "codex", { fault: { is: "total", ms: 1 } }, ["completed", "timed_out"]],
  ["is killed", "codex", { fault: { is: "signal", signal: "SIGKILL", at } }, ["completed", "killed"]],
  [
    "is deaf to the signal",
    "codex",
    { program: { signals: { are: "deaf" } }, fault: { is: "signal", signal: "SIGINT", at } },
    ["completed"]
  ],
  ["has a command that is missing", "claude", { fault: { is: "broken", what: "command" } }, ["not_installed"]],
  ["belongs to an agent that is closed", "claude", { scenario: { close: at } }, ["aborted", "completed"]],
  ["may not wait", "claude", { scenario: { limits: { perCli: 1, maxWaitMs: 1 } } }, ["completed", "limit_reached"]]
]

describe("a run that", () => {
  it.each(cases)("%s (%s)", (_, cli, changes, reasons) => {
    assert.deepStrictEqual([...expectationFor(cli, changes).reasons].sort(), reasons)
  })
})

describe("what must have been heard", () => {
  it("is all of it where nothing comes in between", () => {
    assert.isAbove(expectationFor("claude", {}).whole?.text.length ?? 0, 0)
  })

  it("is not known where something does", () => {
    assert.isUndefined(expectationFor("claude", { fault: { is: "abort", at } }).whole)
    assert.isUndefined(expectationFor("codex", { end: { is: "stays" } }).whole)
  })
})

describe("of the budgets", () => {
  it("one is short where the program falls silent, and none where it does not", () => {
    const budgets = (changes: Changes) => expectationFor("codex", changes).timeouts
    assert.deepInclude(budgets({}), { startup: "5 minutes", idle: "5 minutes", tool: "5 minutes" })
    assert.deepInclude(budgets({ program: { lines: 0 }, end: { is: "stays" } }), { startup: 1_000, idle: "5 minutes" })
    assert.deepInclude(budgets({ program: { lines: 2 }, end: { is: "stays" } }), { startup: "5 minutes", idle: 1_000 })
  })
})
