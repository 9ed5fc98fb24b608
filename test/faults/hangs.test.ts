/**
 * Nothing hangs: a CLI that does not come to its end, in any of eight ways, and the run, ended in any of 27 ways,
 * has it ended within the grace and two seconds, and no process is left. Real processes.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { clis } from "../../src/agents/Agents.ts"
import { boundMs, hanging, hangs } from "./kit/hanging.ts"
import { plainWays } from "./kit/hangingPlainWays.ts"
import { ways } from "./kit/hangingWays.ts"

/** So many processes start at once that the machine is busy, and no more. */
const concurrency = 4

/** For what goes wrong: the run is left alone then, and the scope of the test ends it if it can. */
const patience = "60 seconds"

describe.each(Object.values(clis))("$id", (cli) => {
  it.live.each(hangs)(
    "a process that %s is ended in any way",
    (hang) =>
      Effect.forEach(
        Object.entries({ ...ways, ...plainWays }),
        ([name, way]) =>
          Effect.gen(function* () {
            const one = yield* hanging(cli, hang)
            const tookMs = yield* way(one)
            assert.isBelow(tookMs, boundMs, name)
            assert.isTrue(one.isGone(), `${name}: a process lives on`)
          }).pipe(
            Effect.scoped,
            Effect.timeout(patience),
            Effect.mapError((error) => new Error(`${name}: ${error}`))
          ),
        { concurrency, discard: true }
      ),
    300_000
  )
})
