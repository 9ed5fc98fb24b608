/** Usage is the run's own or absent: never the running total of the thread. */
import { assert, describe, it } from "vitest"
import { difference, nothing, type Totals } from "../../../../src/cli/codex/run/state.ts"
import { completed, decode, failed, message, thread, threadId } from "../wireLines.ts"

const one = { inputTokens: 60, outputTokens: 20, cacheReadTokens: 40, cacheWriteTokens: 7 }

const usageOf = (turns: number | undefined, params = {}) => {
  const end = turns === undefined ? failed("x") : completed(turns)
  return decode([thread(), message("hi"), end], params).decoder.report().usage
}

describe("of a run", () => {
  it("on a new thread is the reported total", () => {
    assert.deepStrictEqual(usageOf(1), one)
  })

  it("on an older thread, or a fork of it, is absent: others may have used it since, and its rollout is read", () => {
    assert.isUndefined(usageOf(2, { sessionId: threadId }))
    assert.isUndefined(usageOf(2, { sessionId: threadId, forkSession: true }))
  })

  it("that failed is absent", () => {
    assert.isUndefined(usageOf(undefined))
  })

  it("is absent when the CLI reports none", () => {
    assert.isUndefined(decode([thread(), { type: "turn.completed" }]).decoder.report().usage)
  })
})

describe("a difference", () => {
  const totals: Totals = { ...nothing, cacheWriteTokens: undefined }
  it("leaves out missing counts", () => {
    assert.deepStrictEqual(difference(totals, nothing), { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0 })
  })

  it("is missing if nothing is reported", () => {
    const missing = { inputTokens: undefined, outputTokens: undefined, cacheReadTokens: undefined }
    assert.isUndefined(difference({ ...totals, ...missing }, nothing))
  })
})
