/**
 * To leave plan mode, Gemini CLI (0.61.0) asks with the name of a file that it wrote before: what was written there is
 * the plan that a person has to see.
 */
import { Result, Schema } from "effect"
import { Chunk } from "../../acp/live/glance.ts"
import { diffsOf } from "../../acp/wire.ts"
import { type Dialogue, isAction, type Output } from "../../Live.ts"
import { wireDecoder } from "../../wireDecoder.ts"

const Update = Schema.Struct({
  params: Schema.Struct({ update: Schema.Struct({ content: Schema.Array(Schema.Unknown) }) })
})
const decodeUpdate = wireDecoder(Update)

const isPlan = /[\\/]plans[\\/][^\\/]+\.md$/

export const withPlans = (dialogue: Dialogue): Dialogue => {
  const plans = new Map<string, string>()

  const keep = (json: unknown) => {
    const update = decodeUpdate(json)
    if (Result.isFailure(update)) return
    for (const { path, newText } of diffsOf(update.success.params.update.content)) {
      if (isPlan.test(path) && newText != null) plans.set(path, newText)
    }
  }

  const withPlan = (output: Output): Output => {
    if (!isAction(output) || output._tag !== "Asked" || output.ask.toolName !== "exit_plan_mode") return output
    const [, plan] = [...plans].find(([path]) => output.ask.title.endsWith(path)) ?? []
    return plan === undefined ? output : { ...output, ask: { ...output.ask, plan, isIncomplete: plan.trim() === "" } }
  }

  return {
    ...dialogue,
    push: (json) => {
      if (json instanceof Chunk) return dialogue.push(json)
      keep(json)
      return dialogue.push(json).map(withPlan)
    }
  }
}
