/** Answers meet requests in order, whichever is there first. */
import { describe, expect, it } from "vitest"
import {
  answered,
  asked,
  attempt,
  closed,
  type Desk,
  emptyDesk,
  settled,
  tried
} from "../../../src/program/chat/desk.ts"

type Step = (desk: Desk<string>) => Desk<string>

const ask =
  (id: string): Step =>
  (desk) =>
    asked(desk, id)
const answer =
  (text: string): Step =>
  (desk) =>
    answered(desk, text)
const settle =
  (id: string): Step =>
  (desk) =>
    settled(desk, id)
const close: Step = (desk) => closed(desk, "nobody")

/** What is tried after each step; what is in `refused` is not taken. */
const attempts = (steps: ReadonlyArray<Step>, refused: ReadonlyArray<string> = []) => {
  let desk: Desk<string> = emptyDesk
  const seen: Array<string> = []
  for (const step of steps) {
    desk = step(desk)
    for (let next = attempt(desk); next !== undefined; next = attempt(desk)) {
      seen.push(`${next.requestId}: ${next.answer}`)
      desk = tried(desk, next, !refused.includes(next.requestId))
    }
  }
  return { seen, left: desk.answers }
}

describe("an answer without a name", () => {
  it.each([
    ["is for the oldest request", [ask("a"), ask("b"), answer("x"), answer("y")], [], ["a: x", "b: y"], []],
    ["waits for the next", [answer("x"), answer("y"), ask("a")], [], ["a: x"], ["y"]],
    ["is not for one that is settled", [ask("a"), ask("b"), settle("a"), answer("x")], [], ["b: x"], []],
    ["that was not taken is for the next", [answer("x"), ask("a"), ask("b")], ["a"], ["a: x", "b: x"], []],
    ["comes before nobody's", [answer("x"), close, ask("a"), ask("b")], [], ["a: x", "b: nobody"], []],
    ["is nobody's for what is open at the end", [ask("a"), close], [], ["a: nobody"], []]
  ] as const)("%s", (_, steps, refused, seen, left) => {
    expect(attempts(steps, refused)).toEqual({ seen, left })
  })
})
