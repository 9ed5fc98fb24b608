/** All recordings there are, played back by real processes. */
import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { clis } from "../../src/agents/Agents.ts"
import { fixturesOf } from "../cli/fixtures.ts"
import { makeDirectory } from "../kit/temporary.ts"
import { ids } from "./kit.ts"
import { playsAsReviewed } from "./recorded.ts"

describe.each(ids)("the recordings of %s", (id) => {
  it.live(
    "give the events and the end that were reviewed, played by a process",
    () =>
      Effect.gen(function* () {
        const cli = clis[id]
        const check = playsAsReviewed(cli, yield* makeDirectory)
        yield* Effect.forEach(fixturesOf(cli), check, { concurrency: 3, discard: true })
      }),
    240_000
  )
})
