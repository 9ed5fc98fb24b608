/** Bounds: the rate of messages of a person, and log lines about strangers. */
import { assert, describe, it } from "vitest"
import { makeRateLimit, makeStrangers } from "../../../src/bridge/access/makeAccess.ts"
import { chat } from "../incomingUpdates.ts"

describe("the rate of a sender", () => {
  it("is limited to 20 per minute, with one notice, and recovers afterwards", () => {
    const { take } = makeRateLimit()
    const results = Array.from({ length: 50 }, (_, at) => take("1", at * 20))
    assert.deepStrictEqual(results.slice(0, 20), Array(20).fill("taken"))
    assert.strictEqual(results[20], "told")
    assert.deepStrictEqual(results.slice(21), Array(29).fill("silent"))
    assert.strictEqual(take("2", 1_000), "taken")
    assert.strictEqual(take("1", 59_999), "silent")
    assert.strictEqual(take("1", 60_000), "taken")
    assert.strictEqual(take("1", 60_001), "told")
    assert.strictEqual(take("1", 60_020), "taken")
  })

  it("is configurable", () => {
    const { take } = makeRateLimit(3)
    assert.deepStrictEqual(
      [1, 2, 3, 4, 5].map((at) => take("1", at)),
      ["taken", "taken", "taken", "told", "silent"]
    )
  })

  it("counts the parts of an album once", () => {
    const { take } = makeRateLimit()
    for (let part = 0; part < 30; part++) assert.strictEqual(take("1", part, "album"), "taken")
    for (let at = 0; at < 19; at++) assert.strictEqual(take("1", 100 + at), "taken")
    assert.strictEqual(take("1", 200), "told")
    assert.strictEqual(take("1", 201, "next"), "silent")
    assert.strictEqual(take("1", 202, "next"), "silent")
  })

  it("never exceeds 20 per minute, for any order of messages", () => {
    const { take } = makeRateLimit()
    const taken: Array<number> = []
    for (let now = 0; now < 600_000; now += 700) if (take("1", now) === "taken") taken.push(now)
    for (const end of taken) assert.isAtMost(taken.filter((at) => at > end - 60_000 && at <= end).length, 20)
    assert.isAtLeast(taken.length, 190)
  })
})

describe("strangers", () => {
  const stranger = (id: string, chatId = id) => ({ conversation: chat(chatId), sender: { id } })
  const dayMs = 86_400_000

  it("have one log line a day", () => {
    const lineOf = makeStrangers()
    assert.match(lineOf("not_listed", stranger("7"), 0) ?? "", /an unlisted person, id "7", chat "7"/)
    assert.isUndefined(lineOf("not_listed", stranger("7"), 1))
    assert.isUndefined(lineOf("not_listed", stranger("7"), dayMs - 1))
    assert.isDefined(lineOf("not_listed", stranger("7"), dayMs))
  })

  it("of a group share one line", () => {
    const lineOf = makeStrangers()
    assert.match(lineOf("chat_not_listed", stranger("7", "-1"), 0) ?? "", /"-1"/)
    assert.isUndefined(lineOf("chat_not_listed", stranger("8", "-1"), 0))
  })

  it("have at most 100 lines a day, the last of which says so", () => {
    const lineOf = makeStrangers()
    const lines = Array.from({ length: 1_000 }, (_, at) => lineOf("not_listed", stranger(String(at)), 0))
    const text = lines.filter((line) => line !== undefined)
    assert.strictEqual(text.length, 100)
    assert.match(text[99] ?? "", /not logged until tomorrow/)
    assert.isUndefined(lineOf("not_listed", stranger("99999"), 5))
  })

  it("cannot inject text into the log", () => {
    const line =
      makeStrangers()("not_listed", stranger(`7\n2026 ERROR \u001b[31m\u202e${"x".repeat(100_000)}`), 0) ?? ""
    assert.isBelow(line.length, 300)
    assert.notMatch(line, /[\n\u001b\u202e]/)
  })

  it("do not include listed people who talk to others", () =>
    assert.isUndefined(makeStrangers()("not_addressed", stranger("7"), 0)))
})
