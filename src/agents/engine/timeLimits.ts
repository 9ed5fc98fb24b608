/** The time limits of a run in milliseconds: from its parameters, else the agent's options, else the CLI, else defaults; pure. */
import { Duration } from "effect"
import type { CliFacts } from "../../cli/Cli.ts"
import type { Timeouts } from "../../contract/AgentExecuteParams.ts"
import { toMillis } from "../../contract/checkInput.ts"

export interface TimeLimits {
  readonly startup: number
  readonly idle: number
  readonly tool: number
  readonly approval: number
  readonly linger: number
  readonly total: number
}

const oneMinute = 60_000
const fiveMinutes = 300_000

export const timeLimitsOf = (
  cli: Pick<CliFacts, "idle" | "startup">,
  agent: Timeouts = {},
  run: Timeouts = {}
): TimeLimits => {
  const millis = (name: keyof Timeouts, otherwise: number) => {
    const option = run[name] ?? agent[name]
    return option === undefined ? otherwise : Math.max(0, toMillis(option))
  }
  return {
    startup: millis("startup", Duration.toMillis(cli.startup ?? oneMinute)),
    idle: millis("idle", Math.max(fiveMinutes, Duration.toMillis(cli.idle))),
    tool: millis("tool", 3_600_000),
    approval: millis("approval", Number.POSITIVE_INFINITY),
    linger: millis("linger", 10_000),
    total: millis("total", Number.POSITIVE_INFINITY)
  }
}
