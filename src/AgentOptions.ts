/** What holds for all runs of one agent: how its CLI is found, its environment, its budgets and limits. */
import type { Duration, Redacted } from "effect"
import type { Timeouts } from "./AgentExecuteParams.ts"

export interface EnvironmentOptions {
  /** `inherit` (default): the host's variables reach the CLI. `allow-list`: only those that `allow` names. */
  readonly policy?: "inherit" | "allow-list"
  /** Names, or prefixes that end in `*`. Default: what a program needs to run (PATH, HOME, TMPDIR, locale, proxy…). */
  readonly allow?: ReadonlyArray<string>
  /** Added for every run; `undefined` removes a name. Those of a run win over these, these over the host's. */
  readonly values?: Readonly<Record<string, string | Redacted.Redacted | undefined>>
}

export interface AgentOptions {
  /** The program: a name to find on PATH, or a path. Default: the CLI's own name. */
  readonly command?: string
  /** Arguments before all others, for wrappers: `{ command: "npx", baseArgs: ["claude"] }`. */
  readonly baseArgs?: ReadonlyArray<string>
  readonly env?: EnvironmentOptions
  /** Budgets of the watchdog; those of a run win. */
  readonly timeouts?: Timeouts
  /** Wire lines longer than this are dropped with a notice. Default: 64 MiB. */
  readonly maxLineBytes?: number
  /** Between the stop signal and SIGKILL. Default: 10 s; 2 s for a process that never printed a line. */
  readonly killGrace?: Duration.Input
  /** `stdin` (default), or `argument` for wrappers that need it: prompts of up to 10,000 characters. */
  readonly promptVia?: "stdin" | "argument"
  /** `subscription` takes the CLI's API keys out of its environment, `api-key` demands one. Default: as it comes. */
  readonly billing?: "subscription" | "api-key"
}
