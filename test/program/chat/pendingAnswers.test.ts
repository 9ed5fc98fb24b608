/** Answers meet requests in order, whichever comes first. */
import { describe, expect, it } from "vitest"
import * as Pending from "../../../src/program/chat/pendingAnswers.ts"

type Step = (pending: Pending.PendingAnswers<string>) => Pending.PendingAnswers<string>

const ask =
  (id: string): Step =>
  (pending) =>
    Pending.addRequest(pending, id)
const answer =
  (text: string): Step =>
  (pending) =>
    Pending.addAnswer(pending, text)
const settle =
  (id: string): Step =>
  (pending) =>
    Pending.removeRequest(pending, id)
const close: Step = (pending) => Pending.close(pending, "fallback")

/** The matches after each step; requests in `late` do not accept an answer. */
const matches = (steps: ReadonlyArray<Step>, late: ReadonlyArray<string> = []) => {
  let pending: Pending.PendingAnswers<string> = Pending.noPendingAnswers
  const known: Array<string> = []
  for (const step of steps) {
    pending = step(pending)
    for (let next = Pending.nextMatch(pending); next !== undefined; next = Pending.nextMatch(pending)) {
      known.push(`${next.requestId}: ${next.answer}`)
      pending = Pending.afterMatch(pending, next, !late.includes(next.requestId))
    }
  }
  return { seen: known, left: pending.answers }
}

describe("an answer without a request id", () => {
  it.each([
    ["is for the oldest request", [ask("a"), ask("b"), answer("x"), answer("y")], [], ["a: x", "b: y"], []],
    ["waits for the next", [answer("x"), answer("y"), ask("a")], [], ["a: x"], ["y"]],
    ["is not for one that is settled", [ask("a"), ask("b"), settle("a"), answer("x")], [], ["b: x"], []],
    ["that was not accepted is for the next", [answer("x"), ask("a"), ask("b")], ["a"], ["a: x", "b: x"], []],
    ["comes before the fallback", [answer("x"), close, ask("a"), ask("b")], [], ["a: x", "b: fallback"], []],
    ["is the fallback for requests that are open at the end", [ask("a"), close], [], ["a: fallback"], []]
  ] as const)("%s", (_, steps, late, known, left) => {
    expect(matches(steps, late)).toEqual({ seen: known, left })
  })
})
