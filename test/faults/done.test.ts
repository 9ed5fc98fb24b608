/**
 * Every beginning of every recording of every CLI, cut between lines and inside them, with every way in which a process
 * and its pipes can end or not end: exactly one `done`, last, for a reason that is true, and it comes in time.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { vi } from "vitest"
import { clis } from "../../src/agents/Agents.ts"
import type { RunReason } from "../../src/contract/FailureReason.ts"
import { fixturesOf } from "../cli/fixtures.ts"
import { linesOf } from "../cli/transcript.ts"
import { errorOf, resultOf } from "../kit/events.ts"
import { type Act, type Batched, batch } from "./kit/batch.ts"
import { type Beginning, beginningsOf, wireOf } from "./kit/beginnings.ts"
import { type HowItEnds, reasonOf } from "./kit/reason.ts"
import { secondOpinion } from "./kit/secondOpinion.ts"

// Files are read in the time of the host, which no test clock moves: without settings to restore, sessions, and usage
// beside the lines.
vi.mock("../../src/system/settings/recover.ts", () => ({ recoverSettings: () => Effect.void }))
vi.mock("../../src/agents/engine/elsewhere.ts", () => ({ checkElsewhere: () => undefined }))
vi.mock("../../src/agents/engine/unreportedUsage.ts", async (original) => ({
  ...(await original<typeof import("../../src/agents/engine/unreportedUsage.ts")>()),
  unreportedUsage: () => undefined
}))

interface End extends HowItEnds {
  readonly act: Act
}

const ends = {
  "exits with 0": { act: (script) => script.exit({ code: 0 }), exit: { code: 0 } },
  "exits with 1": { act: (script) => script.exit({ code: 1 }), exit: { code: 1 } },
  "is killed": { act: (script) => script.exit({ signal: "SIGKILL" }), exit: { signal: "SIGKILL" } },
  hangs: { act: () => Effect.void },
  "closes stdout and stays": { act: (script) => script.closeStdout, isMute: true },
  "closes stdout and exits with 1 a moment later": {
    // A process that it leaves behind keeps stderr from being read to its end.
    act: (script) =>
      Effect.andThen(script.closeStdout, Effect.delay(script.exit({ code: 1 }, { held: "stderr" }), "1900 millis")),
    exit: { code: 1 }
  },
  "closes stdout and exits with 1 a minute later": {
    act: (script) => Effect.andThen(script.closeStdout, Effect.delay(script.exit({ code: 1 }), "1 minute")),
    isMute: true
  },
  "exits with 0 while another process holds stdout": {
    act: (script) => script.exit({ code: 0 }, { held: "stdout" }),
    exit: { code: 0 }
  },
  "exits with 0 while another process holds stderr": {
    act: (script) => script.exit({ code: 0 }, { held: "stderr" }),
    exit: { code: 0 }
  }
} as const satisfies Record<string, End>

const categories: Partial<Record<RunReason, string>> = { timed_out: "timeout", killed: "crash", no_result: "protocol" }

const check = (beginning: Beginning, end: End, { events, hasExited, isComplete, wasPrompt }: Batched) => {
  const result = resultOf(events)
  const expected = reasonOf(beginning, end)
  assert.strictEqual(result.reason, expected)
  if (expected === "completed") assert.isFalse(events.some(({ type }) => type === "error"))
  else {
    const error = errorOf(events)
    assert.isAbove(error.message.length, 0)
    assert.strictEqual(error.category, categories[expected] ?? error.category)
    if (expected === "timed_out") assert.strictEqual(error.code === "timeout_startup", beginning.isEmpty)
  }
  const isSilence = end.exit === undefined && end.isMute === undefined
  assert.strictEqual(wasPrompt, !isSilence || beginning.certain !== undefined, "done in time")
  assert.isTrue(hasExited, "the process is gone")
  assert.isTrue(isComplete, "the stream has ended")
}

const batchSize = 100

describe.each(Object.values(clis))("$id", (cli) => {
  const beginnings = fixturesOf(cli).flatMap((fixture) => beginningsOf(cli, fixture))
  const batches = Array.from({ length: Math.ceil(beginnings.length / batchSize) }, (_, nth) =>
    beginnings.slice(nth * batchSize, (nth + 1) * batchSize)
  )

  it.effect.each(Object.entries(ends) as ReadonlyArray<readonly [string, End]>)(
    `any of ${beginnings.length} beginnings, and the process %s`,
    ([, end]) =>
      Effect.gen(function* () {
        const wrong: Array<string> = []
        for (const some of batches) {
          const runs = yield* batch(cli, some, end.act)
          for (const [index, beginning] of some.entries()) {
            try {
              check(beginning, end, runs[index] ?? assert.fail("every beginning is run"))
            } catch (error) {
              wrong.push(`${beginning.name}: ${String(error)}`)
            }
          }
        }
        assert.deepStrictEqual(wrong, [])
      })
  )

  it("is judged by a second opinion that knows all recordings", () => {
    for (const { name, bytes, expectation } of fixturesOf(cli)) {
      const { params = {}, exit, result, goesOn } = expectation
      if (goesOn === true) continue
      const resumed = params.forkSession === true ? undefined : params.sessionId
      const text = secondOpinion(cli.id, wireOf(linesOf(bytes)), resumed).verdict(exit)
      const isBad = "signal" in exit || exit.code !== 0
      const otherwise = "signal" in exit ? "killed" : isBad ? "exited" : "no_result"
      assert.strictEqual(text === "agent_failed" || !isBad ? (text ?? otherwise) : otherwise, result.reason, name)
    }
  })
})
