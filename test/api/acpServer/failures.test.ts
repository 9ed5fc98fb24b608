/** The end of a turn as a stop reason or an error; and failures with their cause and fix. */
import { assert, describe, it } from "vitest"
import { errorOfFailure, outcomeOf, spentOf } from "../../../src/api/acpServer/failures.ts"
import { AgentFailed, InvalidParams, NotInstalled } from "../../../src/contract/AgentError.ts"
import type { ErrorEvent } from "../../../src/contract/AgentEvent.ts"
import type { AgentRunResult } from "../../../src/contract/AgentRunResult.ts"

const completed: AgentRunResult = {
  outcome: "completed",
  reason: "completed",
  text: "",
  sessionId: "s",
  durationMs: 1,
  usage: undefined,
  aborted: false
}
const failed = { ...completed, outcome: "failed", reason: "agent_failed" } as const
const error = (code: string): ErrorEvent => ({
  type: "error",
  message: "It broke.",
  code,
  category: "other",
  retryable: false,
  help: "Mend it."
})

describe("a turn", () => {
  it.each([
    ["that is over", completed, undefined, "end_turn"],
    ["whose model stopped at its limit", { ...completed, stopReason: "max_tokens" }, undefined, "max_tokens"],
    ["whose model refused", { ...completed, stopReason: "refusal" }, undefined, "refusal"],
    ["with an unknown word", { ...completed, stopReason: "constructor" }, undefined, "end_turn"],
    ["of too many steps", failed, error("error_max_turns"), "max_turn_requests"],
    [
      "of too many steps, by another CLI",
      { ...failed, errorSubtype: "FatalTurnLimitedError" },
      error("x"),
      "max_turn_requests"
    ],
    ["that the agent refused", failed, error("refusal"), "refusal"]
  ])("%s", (_, result, event, stopReason) => {
    assert.deepStrictEqual(outcomeOf({ result, error: event }, false), { stopReason })
  })

  it("that the client cancelled is cancelled, however it ended", () => {
    for (const result of [completed, failed]) {
      assert.deepStrictEqual(outcomeOf({ result, error: error("x") }, true), { stopReason: "cancelled" })
    }
  })

  it("that failed is an error with a fix", () => {
    assert.deepStrictEqual(outcomeOf({ result: failed, error: error("x") }, false), {
      error: {
        code: -32603,
        message: "It broke. Mend it.",
        data: { reason: "agent_failed", code: "x", category: "other", retryable: false }
      }
    })
  })

  it("that another caller ended does not count as cancelled", () => {
    const result = { ...completed, outcome: "aborted", reason: "aborted", aborted: true } as const
    assert.isTrue("error" in outcomeOf({ result, error: undefined }, false))
  })
})

describe("a failure", () => {
  it.each([
    [new InvalidParams({ option: "cwd", problem: "is not a directory" }), -32602, /^cwd: is not a directory\. /],
    [new NotInstalled({ command: "claude", install: "npm i x", signIn: "run claude" }), -32603, /claude.*npm i x/],
    [new AgentFailed({ code: "x", category: "session_not_found", detail: "gone" }), -32002, /gone/]
  ])("%s", (reason, code, message) => {
    const { code: input, message: words } = errorOfFailure(reason)
    assert.strictEqual(input, code)
    assert.match(words, message)
  })

  it("is short, without invisible characters", () => {
    const detail = `\u202e${"x".repeat(10_000)}`
    const { message } = errorOfFailure(new InvalidParams({ option: "a", problem: detail }))
    assert.isBelow(message.length, 2_100)
    assert.notInclude(message, "\u202e")
  })
})

it("the usage of a turn is sent as far as it is known", () => {
  assert.deepStrictEqual(spentOf(completed), {})
  assert.deepStrictEqual(spentOf({ ...completed, totalCostUsd: 0.5, usage: { inputTokens: 2, cacheReadTokens: 3 } }), {
    usage: { inputTokens: 2, outputTokens: 0, totalTokens: 5, cachedReadTokens: 3 },
    _meta: { reins: { costUsd: 0.5 } }
  })
})
