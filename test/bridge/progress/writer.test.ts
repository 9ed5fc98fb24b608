/** The pace of a progress message: by the kind of chat, slower after refusals, normal again after a quiet minute. */
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { afterRefusal, afterWrite, isOld, nextAt, paceOf } from "../../../src/bridge/progress/writer.ts"
import { runs } from "../../kit/runs.ts"

describe("the pace", () => {
  for (const [chat, everyMs] of [
    ["direct", 2_000],
    ["group", 3_100]
  ] as const) {
    it(`of a ${chat} chat is one edit per ${everyMs} ms, the first at once`, () => {
      assert.strictEqual(nextAt(paceOf(chat), 0), 0)
      const pace = afterWrite(paceOf(chat), 500)
      assert.deepStrictEqual([nextAt(pace, 500), nextAt(pace, 90_000)], [500 + everyMs, 90_000])
    })
  }

  it("is slower by half after each refusal, until a quiet minute", () => {
    let pace = paceOf("direct")
    pace = afterRefusal(pace, 0, 5_000)
    assert.strictEqual(nextAt(pace, 0), 5_000)
    pace = afterWrite(pace, 5_000)
    assert.strictEqual(nextAt(pace, 5_000), 8_000)
    pace = afterWrite(afterRefusal(pace, 8_000, 0), 10_000)
    assert.strictEqual(nextAt(pace, 10_000), 14_500)
    pace = afterWrite(pace, 68_000)
    assert.strictEqual(nextAt(pace, 68_000), 70_000)
  })

  const steps = Schema.Array(
    Schema.Struct({
      waitMs: Schema.Literals([0, 1, 100, 5_000, 61_000]),
      retryAfterMs: Schema.NullOr(Schema.Literals([-1, 0, 1_000, 90_000]))
    })
  )
  it.prop(
    "never writes earlier than it may, nor waits for ever",
    [steps],
    ([all]) => {
      let [pace, now, heldUntil] = [paceOf("group"), 0, 0]
      for (const { waitMs, retryAfterMs } of all) {
        const at = nextAt(pace, now + waitMs)
        assert.isAtLeast(at, Math.max(now + waitMs, heldUntil, pace.lastAt === undefined ? 0 : pace.lastAt + 3_100))
        assert.isAtMost(at, Math.max(now + waitMs, heldUntil) + 80_000)
        now = at
        if (retryAfterMs !== null) heldUntil = Math.max(heldUntil, now + retryAfterMs)
        pace = retryAfterMs === null ? afterWrite(pace, now) : afterRefusal(pace, now, retryAfterMs)
      }
    },
    runs(500)
  )

  it("of an old message replaces it", () => {
    assert.deepStrictEqual([isOld(0, 3_300_000), isOld(0, 3_300_001)], [false, true])
  })
})
