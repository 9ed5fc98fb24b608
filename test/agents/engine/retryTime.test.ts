/** The end of a limit, as the CLI tells it → an ISO time that is possible. */
import { assert, describe, it } from "@effect/vitest"
import { errorEvent, makeResult } from "../../../src/agents/engine/result.ts"
import { withRetryAt } from "../../../src/agents/engine/retryTime.ts"
import { Aborted, AgentError, AgentFailed } from "../../../src/contract/AgentError.ts"

const now = Date.parse("2026-11-20T08:00:00.000Z")
const hour = 3_600_000

interface Times {
  readonly retryAfterMs?: number
  readonly retryAt?: string
}

const limited = (times: Times) =>
  new AgentFailed({ code: "usage_limit_reached", category: "rate_limit", detail: "Later.", ...times })

/** In this host's zone, which a time of the day is in. */
const clockTime = (at: number) => {
  const date = new Date(at)
  return `${String(date.getHours()).padStart(2, "0")}:${String(date.getMinutes()).padStart(2, "0")}`
}

const table: ReadonlyArray<readonly [string, Times, Times]> = [
  ["a duration", { retryAfterMs: hour }, { retryAfterMs: hour, retryAt: "2026-11-20T09:00:00.000Z" }],
  ["a time", { retryAt: "2026-11-20T09:00:00Z" }, { retryAfterMs: hour, retryAt: "2026-11-20T09:00:00.000Z" }],
  [
    "both",
    { retryAfterMs: 5, retryAt: "2026-11-20T09:00:00Z" },
    { retryAfterMs: 5, retryAt: "2026-11-20T09:00:00.000Z" }
  ],
  [
    "a time of this day",
    { retryAt: clockTime(now + 60_000) },
    { retryAfterMs: 60_000, retryAt: "2026-11-20T08:01:00.000Z" }
  ],
  [
    "a time of the next day",
    { retryAt: clockTime(now) },
    { retryAfterMs: 24 * hour, retryAt: "2026-11-21T08:00:00.000Z" }
  ],
  ["a week", { retryAfterMs: 168 * hour }, { retryAfterMs: 168 * hour, retryAt: "2026-11-27T08:00:00.000Z" }],
  ["a time that is over", { retryAt: "2026-11-20T07:59:59Z" }, {}],
  ["now", { retryAfterMs: 0 }, { retryAfterMs: 0 }],
  ["a negative duration", { retryAfterMs: -5 }, { retryAfterMs: -5 }],
  ["more than 8 days", { retryAfterMs: 193 * hour }, { retryAfterMs: 193 * hour }],
  ["a year", { retryAt: "2027-11-20T09:00:00Z" }, {}],
  ["no time at all", { retryAt: "soon" }, {}],
  ["a time that no day has", { retryAt: "24:60" }, {}],
  ["nothing", {}, {}]
]

describe("withRetryAt", () => {
  it.each(table)("%s", (_, input, expected) => {
    const reason = withRetryAt(limited(input), now)
    const { retryAfterMs, retryAt } = reason as AgentFailed
    assert.deepStrictEqual([retryAfterMs, retryAt], [expected.retryAfterMs, expected.retryAt])
    assert.deepStrictEqual(withRetryAt(reason, now), reason, "a second time")
  })

  it("leaves other reasons alone", () => {
    const aborted = new Aborted()
    assert.strictEqual(withRetryAt(aborted, now), aborted)
  })
})

describe("retryAt", () => {
  const failure = withRetryAt(limited({ retryAfterMs: hour }), now)
  const resultOf = (reason: AgentFailed) =>
    makeResult({ ending: { failure: reason }, text: "", durationMs: 0, report: {}, stderr: "" })
  const retryAt = "2026-11-20T09:00:00.000Z"

  it("is in the event, the result, the error and its JSON", () => {
    assert.deepInclude(errorEvent(failure), { retryAfterMs: hour, retryAt })
    const result = resultOf(failure as AgentFailed)
    assert.strictEqual(result.retryAt, retryAt)
    const error = new AgentError({ cli: "codex", reason: failure, result, hadOutput: false })
    assert.strictEqual(error.retryAt, retryAt)
    const json = JSON.parse(JSON.stringify(error))
    assert.deepInclude(json, { retryAt, code: "agent_failed" })
    assert.deepStrictEqual([json.reason.retryAt, json.result.retryAt], [retryAt, retryAt])
  })

  it("is nowhere if it is unknown", () => {
    const unknown = limited({})
    const error = new AgentError({ cli: "codex", reason: unknown, result: resultOf(unknown), hadOutput: false })
    for (const each of [errorEvent(unknown), error, error.toJSON(), error.result]) assert.notProperty(each, "retryAt")
  })
})
