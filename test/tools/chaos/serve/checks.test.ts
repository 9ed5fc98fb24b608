/** A campaign that went well has no findings, and each kind of loss is found. */
import { assert, describe, it } from "vitest"
import { makeDice } from "../../../../tools/chaos/dice.ts"
import { findingsOf, type Logs, verdictsOf } from "../../../../tools/chaos/serve/checks.ts"
import type { Visit } from "../../../../tools/chaos/serve/person.ts"
import { type Case, casesOf, messagesOf, scenes } from "../../../../tools/chaos/serve/plan.ts"
import { changesOf, jumps, stormOf, type Weather } from "../../../../tools/chaos/serve/weather.ts"

const one: Case = { id: "a", scene: "say", choice: "again", cutMs: undefined, isHasty: false }

const visitOf = (more: Partial<Visit> = {}): Visit => ({
  ...{ case: one, taken: ["m1"], choices: [], shown: { "a.1": 1 }, isServed: true, refused: [], last: [] },
  ...{ shows: 0, denied: 0, excuses: [], isDismissed: true },
  ...more
})

const atRest = { rssMiB: 150, descriptors: 30, processes: 0, heapMiB: 40, resources: 20, rows: {}, visits: 10 }

/** After so many conversations more, with so many rows. */
const more = (visits: number, inbox: number) => ({ ...atRest, visits: 10 + visits, rows: { inbox } })

const logsOf = (visit: Visit, more: Partial<Logs> = {}): Logs => ({
  ...{ visits: [visit], begun: ["a.1"], done: new Set(["m1"]), open: [], alive: [], kills: 1, problems: [] },
  ...{
    integrity: "ok",
    seasons: { full: 1, jump: 1, signal: 1 },
    old: {},
    warnings: 0,
    held: [atRest, atRest, { ...atRest, rssMiB: 200 }]
  },
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
  ["unanswered", logsOf(visitOf({ isDismissed: false }))],
  ["denied", logsOf(visitOf({ denied: 1 }))],
  ["heap", logsOf(visitOf(), { held: [atRest, atRest, { ...atRest, heapMiB: 60 }] })],
  ["rows", logsOf(visitOf(), { held: [atRest, more(10, 40), more(20, 120)] })],
  ["kept", logsOf(visitOf(), { old: { inbox: 1 } })],
  ["silent", logsOf(visitOf({ excuses: [] }), { seasons: { full: 9, jump: 0, signal: 0 }, warnings: 3 })],
  ["lost", logsOf(visitOf(), { done: new Set() })],
  ["run twice", logsOf(visitOf(), { begun: ["a.1", "a.1"] })],
  ["repeated", logsOf(visitOf({ shown: { "a.1": 2 } }))],
  ["left open", logsOf(visitOf(), { open: ["outbox ready"] })],
  ["alive", logsOf(visitOf(), { alive: [1] })],
  ["problem", logsOf(visitOf(), { problems: ["a host ended with 1"] })],
  ["problem", logsOf(visitOf(), { held: undefined })],
  ["damaged", logsOf(visitOf(), { integrity: "row 1 missing from index" })],
  ["memory", logsOf(visitOf(), { held: [atRest, atRest, { ...atRest, rssMiB: 300 }] })],
  ["descriptors", logsOf(visitOf(), { held: [atRest, atRest, { ...atRest, descriptors: 40 }] })],
  ["processes", logsOf(visitOf(), { held: [atRest, atRest, { ...atRest, processes: 1 }] })]
]

describe("what a campaign on the page leaves", () => {
  it.each(good)("is nothing to find: %s", (_, logs) => {
    assert.deepStrictEqual(findingsOf(logs), [])
  })

  it("is flat or not, by subject", () => {
    const { memory, handles } = verdictsOf(
      findingsOf(logsOf(visitOf(), { held: [atRest, atRest, { ...atRest, descriptors: 40 }] }))
    )
    assert.strictEqual(memory, "flat")
    assert.notStrictEqual(handles, "flat")
  })

  it.each(bad)("is found: %s (%#)", (kind, logs) => {
    assert.deepStrictEqual(
      findingsOf(logs).map((finding) => finding.kind),
      [kind]
    )
  })
})

describe("the weather", () => {
  const take = (weathers: Generator<Weather>, count: number) =>
    Array.from({ length: count }, () => weathers.next().value as Weather)

  it("is that of its seed, begins with a jump and a full disk, and has hosts that end in a storm alone", () => {
    assert.deepStrictEqual(take(changesOf(makeDice(1, 0)), 50), take(changesOf(makeDice(1, 0)), 50))
    const changes = take(changesOf(makeDice(2, 0)), 50)
    assert.deepStrictEqual(
      changes.slice(0, 4).map(({ what }) => what),
      ["jump", "full", "jump", "jump"]
    )
    assert.sameDeepMembers(
      changes.slice(0, 4).filter(({ what }) => what === "jump"),
      [...jumps]
    )
    assert.isFalse(changes.some(({ what }) => what === "signal"))
    const storm = take(stormOf(makeDice(2, 0)), 200)
    const names = storm.map((each) => (each.what === "signal" ? each.signal : each.what))
    assert.strictEqual(names[0], "SIGKILL")
    assert.sameMembers([...new Set(names)], ["SIGKILL", "SIGTERM", "SIGINT", "SIGHUP", "full", "jump"])
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
