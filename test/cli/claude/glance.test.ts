/** Claude Code's frequent lines mean the same at a glance. */
import { Arbitrary } from "effect"
import { claude } from "../../../src/cli/claude/index.ts"
import { describeGlance } from "../glance.ts"
import { anyRun, wireOf } from "./generate.ts"
import { opened } from "./live/lines.ts"

describeGlance({
  make: () => claude,
  atLeast: 120,
  dialogue: opened,
  madeUp: Arbitrary.map(anyRun, (plan) => wireOf(plan).lines)
})
