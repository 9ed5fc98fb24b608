/**
 * Shapes of the wire that older versions of Claude Code print, and the newest adds: usage without a share of its own
 * (before 2.1.309), unmarked abandoned streams (up to 2.1.289), background work that leaves the list before its end is
 * notified (2.1.236), new fields (2.1.330).
 */
import { assert, describe, it } from "vitest"
import { claude } from "../../../src/cli/claude/index.ts"
import type { AgentExecuteParams } from "../../../src/contract/AgentExecuteParams.ts"
import { kindsOf } from "../../kit/events.ts"
import { print, runTranscript } from "../transcript.ts"

const run = (lines: ReadonlyArray<unknown>, params: Partial<AgentExecuteParams> = {}) =>
  runTranscript(claude, { chunks: print(lines), exit: { code: 0 }, params })

const init = { type: "system", subtype: "init", session_id: "s" }
const content = (text: string, id = text) => ({ type: "assistant", message: { id, content: [{ type: "text", text }] } })
const result = (more: object = {}) => ({
  type: "result",
  subtype: "success",
  is_error: false,
  session_id: "s",
  result: "",
  ...more
})
const counts = (inputTokens: number, costUSD: number) => ({
  m: { inputTokens, outputTokens: 2 * inputTokens, costUSD }
})

/** The main thread alone has 200; with its sub-agent it is 400. */
const turn = { usage: { input_tokens: 200, output_tokens: 400 }, total_cost_usd: 0.5, modelUsage: counts(400, 0.5) }
const whole = { usage: { inputTokens: 400, outputTokens: 800 }, totalCostUsd: 0.5 }

describe("usage and cost without a share of their own", () => {
  it.each([
    ["no share", {}],
    ["an empty share", { model_usage_since_last_result: {} }],
    ["a share that is null", { model_usage_since_last_result: null }]
  ])("are the session's, where that is the run's, with %s", (_, share) => {
    const { result: final } = run([init, content("a"), result({ ...turn, ...share })])
    assert.deepInclude(final, whole)
    assert.deepStrictEqual(final.modelUsage, { m: { inputTokens: 400, outputTokens: 800, costUsd: 0.5 } })
  })

  it("of a second result are what has come since the first", () => {
    const background = { type: "system", subtype: "background_tasks_changed", tasks: [{ task_id: "t" }] }
    const over = { type: "system", subtype: "task_notification", task_id: "t", status: "completed" }
    const second = result({ ...turn, total_cost_usd: 0.75, modelUsage: counts(500, 0.75) })
    const lines = [init, background, result(turn), over, { ...background, tasks: [] }, init, content("b"), second]
    assert.deepInclude(run(lines).result, { usage: { inputTokens: 500, outputTokens: 1000 }, totalCostUsd: 0.75 })
  })

  it("of a resumed session are unknown but for the main thread's tokens, and a notice says so", () => {
    const { result: final, events } = run([init, content("a"), result(turn)], { sessionId: "s" })
    assert.deepInclude(final, { usage: { inputTokens: 200, outputTokens: 400 } })
    assert.notProperty(final, "totalCostUsd")
    const notice = events.find((event) => event.type === "notice")
    assert.deepInclude(notice, { kind: "info", data: { sessionCostUsd: 0.5 } })
    assert.include(notice?.type === "notice" ? notice.message : "", "the cost of this run is not known")
  })

  it("of a resumed session with a share need no notice", () => {
    const { result: final, events } = run([init, result({ ...turn, model_usage_since_last_result: counts(7, 0.25) })], {
      sessionId: "s"
    })
    assert.deepInclude(final, { usage: { inputTokens: 7, outputTokens: 14 }, totalCostUsd: 0.25 })
    assert.deepStrictEqual(kindsOf(events), [])
  })

  it("have the cost by its older name", () => {
    assert.strictEqual(run([init, result({ cost_usd: 0.125 })]).result.totalCostUsd, 0.125)
    assert.strictEqual(run([init, result({ cost_usd: 9, total_cost_usd: 0.25 })]).result.totalCostUsd, 0.25)
  })
})

const stream = (id: string, event: object) => ({ type: "stream_event", event, api_message_id: id })
const start = (id: string) => stream(id, { type: "message_start", message: { id } })
const delta = (id: string, index: number, text: string) =>
  stream(id, { type: "content_block_delta", index, delta: { type: "text_delta", text } })
const stop = (id: string) => stream(id, { type: "message_stop" })
const counted = (id: string) => stream(id, { type: "message_delta", delta: { stop_reason: "end_turn" } })
const good = [start("n"), delta("n", 0, "Goodbye"), content("Goodbye", "n"), counted("n"), stop("n")]

describe("an abandoned stream without a mark", () => {
  it("withdraws its text", () => {
    const { result: final, events } = run([init, start("m"), delta("m", 0, "Hello"), stop("m"), ...good, result()])
    assert.strictEqual(final.text, "Goodbye")
    assert.deepStrictEqual(kindsOf(events), ["text_voided"])
  })

  it("keeps the blocks that were whole", () => {
    const lines = [
      init,
      start("m"),
      delta("m", 0, "One."),
      content("One.", "m"),
      delta("m", 1, "Tw"),
      stop("m"),
      ...good
    ]
    assert.strictEqual(run([...lines, result()]).result.text, "One.Goodbye")
  })

  it("is missing if the answer was printed to its end", () => {
    const { result: final, events } = run([init, start("m"), delta("m", 0, "Hi"), counted("m"), stop("m"), result()])
    assert.strictEqual(final.text, "Hi")
    assert.deepStrictEqual(kindsOf(events), [])
  })
})

describe("background work", () => {
  const tasks = (...ids: ReadonlyArray<string>) => ({
    type: "system",
    subtype: "background_tasks_changed",
    tasks: ids.map((task_id) => ({ task_id }))
  })
  const over = (task_id: string) => ({ type: "system", subtype: "task_notification", task_id, status: "completed" })
  const last = [init, content("last"), result()]

  it.each([
    ["behind the first result", [result(), tasks(), over("t")]],
    ["before it", [tasks(), over("t"), result()]],
    ["around it", [tasks(), result(), over("t")]],
    ["told twice", [tasks(), over("t"), over("t"), result()]]
  ])("that leaves the list before its end is told has its turn: %s", (_, lines) => {
    const { result: final, certainAfter } = run([init, tasks("t"), content("first"), ...lines, ...last])
    assert.strictEqual(final.text, "first\n\nlast")
    assert.strictEqual(certainAfter, 3 + lines.length + 2)
  })
})

it("a repeated init does not start another turn", () => {
  const { result: final, certainAfter } = run([init, init, content("a"), init, result()])
  assert.deepInclude(final, { outcome: "completed", text: "a" })
  assert.strictEqual(certainAfter, 4)
})

it("fields that the newest version adds cost nothing", () => {
  const lines = [{ ...init, served_by_anthropic: true }, content("a"), result({ begun_message_ids: ["m"] })]
  const { events, result: final } = run(lines)
  assert.deepStrictEqual(
    events.map(({ type }) => type),
    ["session", "text"]
  )
  assert.deepInclude(final, { outcome: "completed", text: "a" })
})
