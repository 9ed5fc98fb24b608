/** Frequent lines of a run of Codex mean the same at a glance. */
import { Arbitrary } from "effect"
import { codex } from "../../../src/cli/codex/index.ts"
import { describeGlance } from "../glance.ts"
import { anyRun, wireOf } from "./generate.ts"

describeGlance({
  make: () => codex,
  atLeast: 60,
  madeUp: Arbitrary.map(anyRun, (plan) => wireOf(plan).lines)
})
