/** A campaign that went well has no findings, and each kind of loss is found. */
import { assert, describe, it } from "vitest"
import type { ShownMessage } from "../../../../src/testing/channels/board.ts"
import { findingsOf } from "../../../../tools/chaos/bridge/checks.ts"
import type { Logs, ServedChat } from "../../../../tools/chaos/bridge/logs.ts"
import { type Case, casesOf, idsOf, scenes } from "../../../../tools/chaos/bridge/plan.ts"
import { makeDice } from "../../../../tools/chaos/dice.ts"

const ours = (text: string, more: Partial<ShownMessage> = {}): ShownMessage => ({
  ...{ messageId: "m", from: "bot", isOurs: true, text, buttons: [], isEdited: false, isSilent: false, at: 0 },
  ...more
})

const missing = ours("An answer may be missing here", { buttons: ["Show"] })
const interrupted = ours("The host was restarted while the agent was at work.")

const one: Case = {
  id: "a",
  scene: "one",
  fault: "none",
  death: { _tag: "Step", number: 1, side: "before" },
  choice: "Again"
}

const chatOf = (visible: ReadonlyArray<ShownMessage>, more: Partial<ServedChat> = {}): ServedChat => ({
  ...{ case: one, shown: visible, choices: [], faults: 0, kills: 1, isServed: true },
  ...more
})

const logsOf = (chat: ServedChat, more: Partial<Logs> = {}): Logs => ({
  ...{ chats: [chat], agent: [{ text: "a.1", pid: 1 }], open: [], alive: [], violations: [], problems: [] },
  ...{ kills: 1, integrity: "ok", ...more }
})

const well = chatOf([ours("answer to a.1;")])
const three = { ...one, scene: "three" } as const
const steer = { ...one, scene: "steer" } as const
const gateway = { ...one, scene: "gateway" } as const

/** The agent could not know whether its own message goes out. */
const slow = ours("It is not known whether this was queued: answer to a.1;")

const good: ReadonlyArray<readonly [name: string, logs: Logs]> = [
  ["answered once", logsOf(well)],
  [
    "shown once more, as it was asked",
    logsOf(chatOf([ours("answer to a.1;"), missing, ours("answer to a.1;")], { choices: ["Show"] }))
  ],
  [
    "begun again, as it was asked",
    logsOf(chatOf([interrupted, ours("answer to a.1;")], { choices: ["Again"] }), {
      agent: [
        { text: "a.1", pid: 1 },
        { text: "a.1", pid: 2 }
      ]
    })
  ],
  ["forgotten, as it was asked", logsOf(chatOf([interrupted], { case: { ...one, choice: "Forget" } }))],
  ["steered", logsOf(chatOf([ours("steered: a.2 answer to a.1;")], { case: steer }))],
  ["a press that was heard twice", logsOf(well, { violations: ["acknowledged twice: p1"] })],
  ["it was not known whether it sends", logsOf(chatOf([slow], { case: gateway }))],
  ["it came without being known", logsOf(chatOf([slow, ours("sent for a.1;")], { case: gateway }))]
]

const bad: ReadonlyArray<readonly [kind: string, logs: Logs]> = [
  ["lost", logsOf(chatOf([]))],
  ["lost", logsOf(chatOf([interrupted]))],
  ["lost", logsOf(chatOf([ours("part 1 of a.1;"), ours("part 3 of a.1;")], { case: three }))],
  ["lost", logsOf(chatOf([ours("answer to a.1;")], { case: steer }))],
  ["lost", logsOf(chatOf([ours("answer to a.1;", { key: "t/progress/1" })]))],
  ["lost", logsOf(chatOf([ours("answer to a.1;")], { case: gateway }))],
  ["repeated", logsOf(chatOf([slow, ours("sent for a.1;"), ours("sent for a.1;")], { case: gateway }))],
  ["repeated", logsOf(chatOf([ours("answer to a.1;"), ours("answer to a.1;")]))],
  [
    "repeated",
    logsOf(chatOf([ours("sent for a.1;"), ours("sent for a.1;"), ours("answer to a.1;")], { case: gateway }))
  ],
  [
    "run twice",
    logsOf(well, {
      agent: [
        { text: "a.1", pid: 1 },
        { text: "a.1", pid: 2 }
      ]
    })
  ],
  [
    "out of order",
    logsOf(chatOf([ours("part 2 of a.1;"), ours("part 1 of a.1;"), ours("part 3 of a.1;")], { case: three }))
  ],
  ["asked too often", logsOf(chatOf([ours("answer to a.1;"), missing], { kills: 0 }))],
  ["stuck", logsOf({ ...well, isServed: false })],
  ["left open", logsOf(well, { open: ["turn running"] })],
  ["alive", logsOf(well, { alive: [1] })],
  ["against the channel's rules", logsOf(well, { violations: ["order: update 2 is confirmed too early"] })],
  ["against the channel's rules", logsOf(well, { violations: ["acknowledged twice: p1"], kills: 0 })],
  ["problem", logsOf(well, { problems: ["a host ended with 1"] })],
  ["damaged", logsOf(well, { integrity: "row 1 missing from index" })]
]

describe("what a campaign of the bridge leaves", () => {
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

describe("the cases", () => {
  const take = (seed: number, count: number) => {
    const cases = casesOf(makeDice(seed, 0), "x")
    return Array.from({ length: count }, () => cases.next().value as Case)
  }

  it("are those of their seed, and have an id each", () => {
    assert.deepStrictEqual(take(1, 50), take(1, 50))
    assert.notDeepEqual(take(1, 50), take(2, 50))
    assert.strictEqual(new Set(take(1, 500).flatMap(idsOf)).size, take(1, 500).flatMap(idsOf).length)
  })

  it("kill each scene with each fault before and after every change of the store", () => {
    const known = new Set(
      take(1, 3_000).flatMap(({ scene, fault, death }) =>
        death._tag === "Step" ? [`${scene} ${fault} ${death.side} ${death.number}`] : []
      )
    )
    assert.strictEqual(known.size, scenes.length * 5 * 2 * 26)
  })
})
