/** The log of a feed: a reader gets every event in order, or learns how many are missing; it is bounded. */
import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Schema } from "effect"
import { type Entry, makeEventLog } from "../../../src/agents/feed/eventLog.ts"

const entry = (position: number, size: number): Entry => ({
  stamped: { position, at: position * 10, event: { type: "text", text: `${position}` } },
  json: "x".repeat(size)
})

const makeLog = (keep: number) =>
  makeEventLog(keep, ({ position, at }, count) => ({
    stamped: { position: position - 1, at, event: { type: "notice", kind: "warning", message: `${count}` } },
    json: ""
  }))

const Play = Schema.Array(
  Schema.Union([
    Schema.Struct({ push: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 2_000 })) }),
    Schema.Struct({ read: Schema.Literals([0, 1, 2]) })
  ])
)

it.prop(
  "three readers at their own pace miss nothing that they are not told of",
  [Arbitrary.schema(Play), Arbitrary.schema(Schema.Literals([1, 500, 5_000, 1_000_000]))],
  ([play, keep]) => {
    const log = makeLog(keep)
    const had = [0, 0, 0]
    let pushed = 0
    const read = (reader: number) => {
      for (const { stamped } of log.after(had[reader] ?? 0)) {
        const { position, event } = stamped
        const missing = event.type === "notice" ? Number(event.message) : 1
        assert.isAbove(missing, 0)
        assert.strictEqual(position, (had[reader] ?? 0) + missing)
        had[reader] = position
      }
    }
    for (const step of play) {
      if ("read" in step) read(step.read)
      else log.push(entry(++pushed, step.push))
    }
    for (const reader of [0, 1, 2]) {
      while ((had[reader] ?? 0) < pushed) read(reader)
      assert.isEmpty(log.after(pushed))
    }
    assert.strictEqual(log.last(), pushed)
  }
)

describe("what is kept", () => {
  it("is bounded by its size, and the last is always there", () => {
    const log = makeLog(1_000)
    for (let position = 1; position <= 10_000; position++) log.push(entry(position, 300))
    const [notice, ...stored] = log.after(0)
    assert.deepInclude(notice?.stamped.event, { message: "9997" })
    assert.deepStrictEqual(
      stored.map(({ stamped }) => stamped.position),
      [9_998, 9_999, 10_000]
    )
    log.push(entry(10_001, 5_000))
    assert.lengthOf(log.after(10_000), 1)
    assert.lengthOf(log.after(9_000), 2)
  })

  it("counts events that are not sent, too", () => {
    const log = makeLog(1_000)
    for (let position = 1; position <= 100; position++) log.push({ ...entry(position, 0), json: undefined })
    assert.lengthOf(log.after(0), 11)
  })
})
