/** `AgentRuntime` without a process: its runs and sessions follow a script of events, with the guarantees of real ones. */
import { Effect, Layer } from "effect"
import { AgentRuntime } from "../agents/AgentRuntime.ts"
import { methodsOf } from "../agents/run/methods.ts"
import type { Cli } from "../cli/Cli.ts"
import { anyCli } from "./doubles/checkStart.ts"
import { makeScripted, type Script } from "./doubles/script.ts"
import { sessionOfRuns } from "./doubles/sessionOfRuns.ts"

export type { Script }

/**
 * Each run gives these events, or those that a function makes of its params. As in a real run or session the params are
 * checked, an abort and the budgets of `timeouts` end it, and there is one `done`, last: without one, it is made of the
 * events. An iterable is gone through once for each run. A turn of a live session gives what a run gives for its
 * prompt; a `permission_request` or `question` of the script is decided by the session's rules and functions, `decide`
 * and `answer` before the next event comes. Spans are those of real runs; notices of the budgets are left out.
 *
 * With an `outputSchema` the answer is the text behind the last tool call, and checked as in a real run, unless the
 * script has a `done`; a wrong one is not asked for again.
 *
 * A failure stands in the script itself, such as `new Exited({ exitCode: 3, category: "crash", stderr: "" })`, or the
 * same as data with its `_tag`: the run ends with it, as an `error` event and `done`, and it is the reason in the error
 * channel. An `error` event is told as it is, and its reason is `AgentFailed` with its code, category, message and
 * `retryAfterMs`, whatever a `done` behind it says.
 *
 * Defects: what stands behind the end of the run, what is neither an event nor a failure, an `error` whose `retryable`
 * does not fit its category (it is true for `rate_limit`, `overloaded` and `network`), and a `done` that says
 * `completed` behind an `error`, or another outcome without one.
 *
 * `cli`: whose params are accepted and whose id is told, such as `clis.codex`. Default: those of every CLI, with the id
 * `test`.
 */
export const layer = (events: Script, { cli = anyCli }: { readonly cli?: Cli } = {}): Layer.Layer<AgentRuntime> =>
  Layer.effect(
    AgentRuntime,
    Effect.map(makeScripted(cli, events), ({ open, turn }) => ({
      ...methodsOf(cli, open),
      ...(cli === anyCli ? {} : { supports: { runs: cli.supports, sessions: cli.live?.supports } }),
      open: (params) => sessionOfRuns(cli, turn, params),
      models: () => Effect.succeed({ type: "unlisted" } as const)
    }))
  )
