/** A turn whose answer is whole and whose result never comes, and a result that comes after all. */
import { assert, describe, it } from "vitest"
import type { Dialogue } from "../../../../src/cli/Live.ts"
import { message } from "../../../kit/wire.ts"
import {
  begun,
  broken,
  canUse,
  granted,
  init,
  lifecycle,
  ofWork,
  only,
  opened,
  request,
  result,
  tags
} from "./lines.ts"

const say = (dialogue: Dialogue, ...lines: ReadonlyArray<unknown>) => {
  for (const line of lines) dialogue.push(line)
}

const usage = { inputTokens: 10, outputTokens: 5 }
const models = (turns: number) => ({
  modelUsage: { scripted: { inputTokens: 10 * turns, outputTokens: 5 * turns, costUSD: turns } },
  total_cost_usd: turns
})

const answered = (dialogue = begun()) => {
  say(dialogue, ...message("hi"))
  assert.strictEqual(dialogue.standing(), "answered")
  return dialogue
}

const settled = (dialogue = answered()) => {
  const ended = only(dialogue.settle?.() ?? [])
  assert.deepInclude(ended, { _tag: "TurnEnded", verdict: { _tag: "Success" } })
  assert.deepInclude(ended.report, { usage, stopReason: "end_turn" })
  assert.strictEqual(dialogue.standing(), "resting")
  return dialogue
}

const next = (dialogue: Dialogue) => {
  dialogue.turn("again")
  say(dialogue, lifecycle("u2", "started"), init(), ...message("ho"))
  return only(dialogue.push(result({ user_message_uuids: ["u2"], ...models(2) })).filter((output) => "_tag" in output))
}

describe("a turn that lacks only its result", () => {
  it("is not over with another message, a request of the CLI or a text that waits", () => {
    const cases: ReadonlyArray<readonly [(dialogue: Dialogue) => void, (dialogue: Dialogue) => void]> = [
      [(dialogue) => say(dialogue, canUse("r1", "t1")), (dialogue) => dialogue.decide("r1", { decision: "allow" })],
      [
        (dialogue) => say(dialogue, request("h1", { subtype: "hook_callback", callback_id: "0", input: {} })),
        (dialogue) => dialogue.reply("h1", {})
      ],
      [(dialogue) => dialogue.steer("more"), (dialogue) => say(dialogue, lifecycle("u2", "started"))],
      [
        (dialogue) => say(dialogue, { type: "system", subtype: "status", status: "requesting" }),
        (dialogue) => say(dialogue, ...message("more"))
      ]
    ]
    for (const [open, close] of cases) {
      const dialogue = answered(begun({ hooks: [{ event: "Stop", run: () => undefined }] }))
      open(dialogue)
      assert.strictEqual(dialogue.standing(), "working")
      close(dialogue)
      assert.strictEqual(dialogue.standing(), "answered")
    }
  })

  it("is not one that waits behind a turn the CLI began by itself", () => {
    const dialogue = opened()
    say(dialogue, init())
    dialogue.turn("go")
    say(dialogue, lifecycle("u1", "queued"), ...message("by itself"))
    assert.strictEqual(dialogue.standing(), "working")
  })

  it("is settled without lifecycle lines, too", () => {
    const dialogue = opened()
    dialogue.turn("go")
    say(dialogue, init())
    settled(answered(dialogue))
  })

  it("ends by its result as ever", () => {
    const ended = only(
      answered()
        .push(result({ user_message_uuids: ["u1"], ...models(1) }))
        .filter((o) => "_tag" in o)
    )
    assert.deepInclude(ended.report, { usage, totalCostUsd: 1 })
  })
})

describe("a result that comes after its turn was settled", () => {
  const late = [
    ["by its text", { user_message_uuids: ["u1"] }],
    ["without a text", {}],
    ["broken off by an interrupt", broken]
  ] as const

  it.each(late)("ends nothing and counts nothing: %s", (_, fields) => {
    const dialogue = settled()
    assert.deepStrictEqual(dialogue.push(result({ ...fields, ...models(1) })), [])
    assert.strictEqual(dialogue.standing(), "resting")
    assert.deepInclude(next(dialogue), { _tag: "TurnEnded" })
  })

  it.each(late.slice(0, 2))("is not taken for that of the next turn: %s", (_, fields) => {
    const dialogue = settled()
    dialogue.turn("again")
    assert.deepStrictEqual(dialogue.push(result({ ...fields, ...models(1) })), [])
    assert.strictEqual(dialogue.standing(), "working")
    say(dialogue, lifecycle("u2", "started"), init(), ...message("ho"))
    const outputs = dialogue.push(result({ user_message_uuids: ["u2"], ...models(2) }))
    assert.deepStrictEqual(tags(outputs).filter((tag) => tag === "TurnEnded").length, 1)
  })

  it("has a share of its own, and the next turn has the rest", () => {
    const dialogue = settled()
    dialogue.push(result({ user_message_uuids: ["u1"], ...models(1) }))
    assert.deepInclude(next(dialogue).report, { usage, totalCostUsd: 1 })
  })

  it("and never comes: the tokens of the next turn are its own, and the cost of both is in it", () => {
    assert.deepInclude(next(settled()).report, { usage, totalCostUsd: 2 })
  })

  it("is not one of a turn that the CLI begins by itself", () => {
    const dialogue = settled()
    say(dialogue, init(), ...message("by itself"))
    assert.include(tags(dialogue.push(result(ofWork))), "TurnEnded")
  })

  it("does not keep an interrupt for the next turn", () => {
    const dialogue = answered()
    dialogue.interrupt()
    dialogue.push(granted("reins-2", { still_queued: [] }))
    settled(dialogue)
    dialogue.turn("again")
    assert.strictEqual(dialogue.interrupt().length, 1)
  })
})
