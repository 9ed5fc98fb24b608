import { assert, it } from "@effect/vitest"
import { Schema } from "effect"
import { makeGrowingText } from "../../../src/contract/text/growingText.ts"

/** A piece of a text, many of it at once, or a number of characters to drop. */
const Step = Schema.Union([
  Schema.String,
  Schema.Struct({ text: Schema.String, times: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 200 })) }),
  Schema.Int.check(Schema.isBetween({ minimum: -1, maximum: 300 }))
])
type Step = typeof Step.Type

const pieceOf = (step: Exclude<Step, number>) => (typeof step === "string" ? step : step.text.repeat(step.times))

const added = (text: string, step: Step) => {
  if (typeof step !== "number") return text + pieceOf(step)
  return text.slice(0, text.length - Math.min(text.length, Math.max(0, step)))
}

it.prop("is the sum of its pieces, without the characters dropped from its end", [Schema.Array(Step)], ([steps]) => {
  const growing = makeGrowingText()
  for (const step of steps) {
    if (typeof step === "number") growing.dropLast(step)
    else growing.add(pieceOf(step))
  }
  assert.strictEqual(growing.text(), steps.reduce(added, ""))
})
