/** Usage is the run's own or absent: never the running total of the thread. */
import { assert, describe, it } from "@effect/vitest"
import { makeCodex } from "../../../../src/cli/codex/index.ts"
import { difference, makeMemory, nothing, type Totals } from "../../../../src/cli/codex/run/totals.ts"
import { completed, decode, failed, message, thread, threadId } from "../wireLines.ts"

const one = { inputTokens: 60, outputTokens: 20, cacheReadTokens: 40, cacheWriteTokens: 7 }
const resume = { sessionId: threadId }

/** One run of a value: usage, and whether a notice reported it as unknown. */
const run = (cli: ReturnType<typeof makeCodex>, turns: number | undefined, params = {}, id = threadId) => {
  const end = turns === undefined ? failed("x") : completed(turns)
  const { decoder, events } = decode([thread(id), message("hi"), end], params, cli)
  const notices = events.flatMap((event) => (event.type === "notice" && event.kind === "info" ? [event.data] : []))
  return { usage: decoder.report().usage, notices }
}

describe("of a run", () => {
  it("on a new thread is the reported total", () => {
    assert.deepStrictEqual(run(makeCodex(), 1), { usage: one, notices: [] })
  })

  it("on an older thread is what it added, while each run before it was reported completely", () => {
    const cli = makeCodex()
    run(cli, 1)
    assert.deepStrictEqual(run(cli, 2, resume), { usage: one, notices: [] })
    assert.deepStrictEqual(run(cli, 4, resume).usage, {
      inputTokens: 120,
      outputTokens: 40,
      cacheReadTokens: 80,
      cacheWriteTokens: 14
    })
  })

  it("on a thread of another process is absent, and the total is given as such", () => {
    const notices = [
      { sessionUsage: { inputTokens: 120, outputTokens: 40, cacheReadTokens: 80, cacheWriteTokens: 14 } }
    ]
    assert.deepStrictEqual(run(makeCodex(), 2, resume), { usage: undefined, notices })
  })

  it("is known again in the run after that", () => {
    const cli = makeCodex()
    run(cli, 2, resume)
    assert.deepStrictEqual(run(cli, 3, resume).usage, one)
  })

  it("after one that failed or was stopped is absent: that one has used more than it reported", () => {
    const cli = makeCodex()
    run(cli, 1)
    run(cli, undefined, resume)
    assert.isUndefined(run(cli, 3, resume).usage)
    decode([thread(threadId)], resume, cli)
    assert.isUndefined(run(cli, 5, resume).usage)
  })

  it("of a fork starts at the total of its parent, and leaves that one as it was", () => {
    const cli = makeCodex()
    const fork = "01a1f801-5c3a-7561-9535-838fcb3478a0"
    run(cli, 1)
    assert.deepStrictEqual(run(cli, 2, { ...resume, forkSession: true }, fork).usage, one)
    assert.deepStrictEqual(run(cli, 3, { sessionId: fork }, fork).usage, one)
    assert.deepStrictEqual(run(cli, 2, resume).usage, one)
  })

  it("is absent when totals go backwards", () => {
    const cli = makeCodex()
    run(cli, 3)
    assert.isUndefined(run(cli, 2, resume).usage)
  })

  it("knows nothing of the threads of another value", () => {
    run(makeCodex(), 1)
    assert.isUndefined(run(makeCodex(), 2, resume).usage)
  })

  it("is absent without a notice when the CLI reports none", () => {
    const { decoder, events } = decode([thread(), { type: "turn.completed" }])
    assert.isUndefined(decoder.report().usage)
    assert.lengthOf(events, 1)
  })
})

describe("a difference", () => {
  const totals: Totals = { ...nothing, cacheWriteTokens: undefined }
  it("leaves out missing counts", () => {
    assert.deepStrictEqual(difference(totals, nothing), { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0 })
  })

  it("is none where nothing is reported", () => {
    const missing = { inputTokens: undefined, outputTokens: undefined, cacheReadTokens: undefined }
    assert.isUndefined(difference({ ...totals, ...missing }, nothing))
  })
})

it("the memory is bounded, and the oldest thread goes first", () => {
  const memory = makeMemory()
  for (let index = 0; index < 1_001; index += 1) memory.keep({ threadId: `${index}`, totals: nothing })
  assert.isUndefined(memory.look("0"))
  assert.deepStrictEqual(memory.look("1"), nothing)
  memory.keep({ threadId: "1", totals: nothing })
  memory.keep({ threadId: "new", totals: nothing })
  assert.deepStrictEqual(memory.look("1"), nothing)
  assert.isUndefined(memory.look("2"))
})
