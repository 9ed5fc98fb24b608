/** The watchdog's budgets in milliseconds: the run's over the agent's over the CLI's over the defaults; pure. */
import { Duration } from "effect"
import type { Timeouts } from "../AgentExecuteParams.ts"

export interface Budgets {
  readonly startup: number
  readonly idle: number
  readonly tool: number
  readonly approval: number
  readonly linger: number
  readonly total: number
}

const fiveMinutes = 300_000

export const resolveBudgets = (cliIdle: Duration.Input, agent: Timeouts = {}, run: Timeouts = {}): Budgets => {
  const chosen = { ...agent, ...run }
  const millis = (name: keyof Timeouts, otherwise: number) => {
    const given = chosen[name]
    return given === undefined ? otherwise : Math.max(0, Duration.toMillis(given))
  }
  return {
    startup: millis("startup", 60_000),
    idle: millis("idle", Math.max(fiveMinutes, Duration.toMillis(cliIdle))),
    tool: millis("tool", 3_600_000),
    approval: millis("approval", Number.POSITIVE_INFINITY),
    linger: millis("linger", 10_000),
    total: millis("total", Number.POSITIVE_INFINITY)
  }
}
