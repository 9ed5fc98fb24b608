/** A campaign that went well has no findings, and each kind of loss is found. */
import { assert, describe, it } from "@effect/vitest"
import { makeDice } from "../dice.ts"
import { findingsOf, type Logs } from "./checks.ts"
import type { Visit } from "./person.ts"
import { type Case, casesOf, messagesOf, scenes } from "./plan.ts"

const one: Case = { id: "a", scene: "say", choice: "again", cutMs: undefined, isHasty: false }

const visitOf = (more: Partial<Visit> = {}): Visit => ({
  ...{ case: one, taken: ["m1"], choices: [], shown: { "a.1": 1 }, isServed: true, refused: [], last: [] },
  ...more
})

const atRest = { rssMiB: 150, descriptors: 30, processes: 0 }

const logsOf = (visit: Visit, more: Partial<Logs> = {}): Logs => ({
  ...{ visits: [visit], begun: ["a.1"], done: new Set(["m1"]), open: [], alive: [], kills: 1, problems: [] },
  ...{ integrity: "ok", held: [atRest, { ...atRest, rssMiB: 200 }] },
  ...more
})

const again = visitOf({ choices: ["again"], shown: { "a.1": 2 } })

const good: ReadonlyArray<readonly [name: string, logs: Logs]> = [
  ["answered once", logsOf(visitOf())],
  ["begun again, as it was asked", logsOf(again, { begun: ["a.1", "a.1"] })],
  ["forgotten", logsOf(visitOf({ case: { ...one, choice: "forget" }, choices: ["forget"], shown: { "a.1": 0 } }))]
]

const bad: ReadonlyArray<readonly [kind: string, logs: Logs]> = [
  ["stuck", logsOf(visitOf({ isServed: false }))],
  ["refused", logsOf(visitOf({ refused: ["messages: 500"] }))],
  ["lost", logsOf(visitOf(), { done: new Set() })],
  ["run twice", logsOf(visitOf(), { begun: ["a.1", "a.1"] })],
  ["repeated", logsOf(visitOf({ shown: { "a.1": 2 } }))],
  ["left open", logsOf(visitOf(), { open: ["outbox ready"] })],
  ["alive", logsOf(visitOf(), { alive: [1] })],
  ["problem", logsOf(visitOf(), { problems: ["a host ended with 1"] })],
  ["problem", logsOf(visitOf(), { held: undefined })],
  ["damaged", logsOf(visitOf(), { integrity: "row 1 missing from index" })],
  ["memory", logsOf(visitOf(), { held: [atRest, { ...atRest, rssMiB: 300 }] })],
  ["descriptors", logsOf(visitOf(), { held: [atRest, { ...atRest, descriptors: 40 }] })],
  ["processes", logsOf(visitOf(), { held: [atRest, { ...atRest, processes: 1 }] })]
]

describe("what a campaign on the page leaves", () => {
  it.each(good)("is nothing to find: %s", (_, logs) => {
    assert.deepStrictEqual(findingsOf(logs), [])
  })

  it.each(bad)("is found: %s (%#)", (kind, logs) => {
    assert.deepStrictEqual(
      findingsOf(logs).map((finding) => finding.kind),
      [kind]
    )
  })
})

describe("the conversations", () => {
  const take = (seed: number, count: number) => {
    const cases = casesOf(makeDice(seed, 0), "x")
    return Array.from({ length: count }, () => cases.next().value as Case)
  }

  it("are those of their seed, of every kind, and have an id each", () => {
    assert.deepStrictEqual(take(1, 50), take(1, 50))
    assert.notDeepEqual(take(1, 50), take(2, 50))
    const some = take(1, 500)
    assert.strictEqual(new Set(some.map(({ scene }) => scene)).size, scenes.length)
    assert.strictEqual(new Set(some.flatMap(messagesOf)).size, some.flatMap(messagesOf).length)
  })
})
