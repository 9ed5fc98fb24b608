/** Questions about the events of a run. */
import { assert } from "vitest"
import type { AgentEvent } from "../../src/contract/AgentEvent.ts"
import type { AgentRunResult } from "../../src/contract/AgentRunResult.ts"

/** The result of the one `done`, after it was checked that there is one and that it is last. */
export const resultOf = (events: ReadonlyArray<AgentEvent>): AgentRunResult => {
  const types = events.map((event) => event.type)
  assert.strictEqual(types.filter((type) => type === "done").length, 1, `one done in ${types.join(" ")}`)
  const last = events.at(-1)
  if (last?.type !== "done") return assert.fail(`done is last in ${types.join(" ")}`)
  return last.result
}

/** The one `error`, right before `done`. */
export const errorOf = (events: ReadonlyArray<AgentEvent>) => {
  const errors = events.filter((event) => event.type === "error")
  assert.strictEqual(errors.length, 1)
  const error = events.at(-2)
  if (error?.type !== "error") return assert.fail("error comes right before done")
  return error
}

export const noticesOf = (events: ReadonlyArray<AgentEvent>) => events.filter((event) => event.type === "notice")

export const kindsOf = (events: ReadonlyArray<AgentEvent>) => noticesOf(events).map((notice) => notice.kind)

/** All main-thread text, in the order it came. */
export const textOf = (events: ReadonlyArray<AgentEvent>) =>
  events.map((event) => (event.type === "text" && event.parentToolId === undefined ? event.text : "")).join("")

/** The pids that a program told with its `init`, its own first. */
export const pidsOf = (events: ReadonlyArray<AgentEvent>): ReadonlyArray<number> => {
  const session = events.find((event) => event.type === "session")
  if (session === undefined) return assert.fail("the program said init")
  const pids = session.sessionId.split("-").slice(1).map(Number)
  assert.isTrue(pids.length > 0 && pids.every(Number.isInteger))
  return pids
}

/** Summary of `done`: enough to tell one way of ending from another. */
export const endingOf = (events: ReadonlyArray<AgentEvent>) => {
  const { outcome, reason, aborted } = resultOf(events)
  const error = events.find((event) => event.type === "error")
  return { outcome, reason, aborted, ...(error === undefined ? {} : { category: error.category, code: error.code }) }
}

export type RunEnding = ReturnType<typeof endingOf>

export const completed: RunEnding = { outcome: "completed", reason: "completed", aborted: false }
export const abortedEnding: RunEnding = {
  outcome: "aborted",
  reason: "aborted",
  aborted: true,
  category: "aborted",
  code: "aborted"
}

export const timedOut = (state: string): RunEnding => ({
  outcome: "timed_out",
  reason: "timed_out",
  aborted: false,
  category: "timeout",
  code: `timeout_${state}`
})
