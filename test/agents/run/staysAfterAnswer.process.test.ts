/** OpenCode has no line that ends a run: an answer that stands whole, and then silence, end it within `linger`. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { opencode } from "../../../src/cli/opencode/index.ts"
import { error, stepFinish, stepStart, text } from "../../cli/opencode/wireLines.ts"
import { completed, endingOf, kindsOf, resultOf, textOf } from "../../kit/events.ts"
import { type Watched, watched } from "../../kit/watched.ts"

const answered = [stepStart("m1"), text("m1", "hi"), stepFinish("m1", "stop")]

const onOpenCode = (test: (run: Watched) => Effect.Effect<void>) => watched(test, {}, {}, opencode)

describe("a process that stays after its final answer", () => {
  it.effect("is waited for as long as it may linger, and no longer", () =>
    onOpenCode(({ script, events, pass, hasEnded, isComplete }) =>
      Effect.gen(function* () {
        yield* script.say(...answered)
        yield* pass(9_999)
        assert.isFalse(hasEnded())
        yield* pass(1)
        assert.deepStrictEqual(endingOf(events), completed)
        assert.deepStrictEqual(kindsOf(events), [])
        assert.deepStrictEqual(script.signals, ["SIGTERM"])
        assert.isTrue(isComplete())
      })
    )
  )

  it.effect("loses nothing of what it says meanwhile: another step is waited for like the first", () =>
    onOpenCode(({ script, events, pass, hasEnded }) =>
      Effect.gen(function* () {
        yield* script.say(...answered)
        yield* pass(9_000)
        yield* script.say(stepStart("m2"))
        yield* pass("30 minutes")
        assert.isFalse(hasEnded())
        yield* script.say(text("m2", "and more"), stepFinish("m2", "stop"))
        yield* pass(9_999)
        assert.isFalse(hasEnded())
        yield* pass(1)
        assert.deepStrictEqual(endingOf(events), completed)
        assert.strictEqual(resultOf(events).text, "hi\n\nand more")
        assert.strictEqual(resultOf(events).numTurns, 2)
      })
    )
  )

  it.effect("and leaves by itself is judged by its exit", () =>
    onOpenCode(({ script, events, pass }) =>
      Effect.gen(function* () {
        yield* script.say(...answered)
        yield* pass(5_000)
        yield* script.exit({ code: 1 })
        yield* pass("1 second")
        assert.strictEqual(resultOf(events).reason, "exited")
      })
    )
  )

  it.effect("and has told an error is waited for until its exit tells whether that counts", () =>
    onOpenCode(({ script, events, pass, hasEnded }) =>
      Effect.gen(function* () {
        yield* script.say(error("ContextOverflowError", { message: "too long" }), ...answered)
        yield* pass("10 minutes")
        assert.isFalse(hasEnded())
        yield* script.exit({ code: 1 })
        yield* pass("1 second")
        assert.strictEqual(resultOf(events).reason, "agent_failed")
        assert.strictEqual(textOf(events), "hi")
      })
    )
  )
})
