/** Gemini CLI's frequent lines mean the same at a glance. */
import { Arbitrary } from "effect"
import { gemini } from "../../../src/cli/gemini/index.ts"
import { describeGlance } from "../glance.ts"
import { anyRun, wireOf } from "./generate.ts"

describeGlance({
  make: () => gemini,
  atLeast: 50,
  madeUp: Arbitrary.map(anyRun, (plan) => wireOf(plan).lines)
})
