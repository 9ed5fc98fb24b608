/** What holds for all runs of one agent: how its CLI is found, its environment, its budgets and limits. */
import { Schema } from "effect"
import { Timeouts } from "./AgentExecuteParams.ts"
import { DurationInput, MaybeSecret, makeParser } from "./input.ts"

export const EnvironmentOptions = Schema.Struct({
  /** `inherit` (default): the host's variables reach the CLI. `allow-list`: only those that `allow` names. */
  policy: Schema.optional(Schema.Literals(["inherit", "allow-list"])),
  /** Names, or prefixes that end in `*`. Default: what a program needs to run, and what the CLI itself reads. */
  allow: Schema.optional(Schema.Array(Schema.String)),
  /** Added for every run; `undefined` removes a name. Those of a run win over these, these over the host's. */
  values: Schema.optional(Schema.Record(Schema.String, Schema.UndefinedOr(MaybeSecret)))
})
export type EnvironmentOptions = typeof EnvironmentOptions.Type

const Count = Schema.Int.check(Schema.isGreaterThan(0))

/** When a run may start; until then it waits, which a `queued` notice says. Counted are all runs of this process, and its live sessions. */
export const Limits = Schema.Struct({
  /** Runs of this CLI at once. Default: any number. */
  perCli: Schema.optional(Count),
  /** Runs of all CLIs at once. Default: any number. */
  total: Schema.optional(Count),
  /**
   * Until the run of this CLI that started before has opened its session, but no longer than this. For CLIs that
   * disturb each other while they start. Default: 0.
   */
  stagger: Schema.optional(DurationInput),
  /** Only while so much memory is available, in the machine or in its container. Default: any amount. */
  freeMemoryBytes: Schema.optional(Count),
  /** A run that has waited so long fails with `LimitReached`; 0 lets none wait. Default: for as long as it takes. */
  maxWait: Schema.optional(DurationInput)
})
export type Limits = typeof Limits.Type

export const AgentOptions = Schema.Struct({
  /** The program: a name to find on PATH, or a path. Default: the CLI's own name. */
  command: Schema.optional(Schema.NonEmptyString),
  /** Arguments before all others, for wrappers: `{ command: "npx", baseArgs: ["claude"] }`. What changes permissions is refused. */
  baseArgs: Schema.optional(Schema.Array(Schema.String)),
  /** Which variables reach the CLI and all that it starts. */
  env: Schema.optional(EnvironmentOptions),
  /** Budgets of the watchdog; those of a run win. */
  timeouts: Schema.optional(Timeouts),
  /** How many runs at once, and how close after each other. Time in the queue is on no budget. */
  limits: Schema.optional(Limits),
  /** Wire lines longer than this are dropped with a notice. Default: 64 MiB. */
  maxLineBytes: Schema.optional(Count),
  /** Between the stop signal and SIGKILL. Default: 10 s; 2 s for a process that never printed a line. */
  killGrace: Schema.optional(DurationInput),
  /** `stdin` (default), or `argument` for wrappers that need it: prompts of up to 10,000 characters. */
  promptVia: Schema.optional(Schema.Literals(["stdin", "argument"])),
  /** `subscription` takes the CLI's API keys out of its environment, `api-key` demands one. Default: as it comes. */
  billing: Schema.optional(Schema.Literals(["subscription", "api-key"]))
})
export type AgentOptions = typeof AgentOptions.Type

export const parseOptions = makeParser(AgentOptions, "options")
