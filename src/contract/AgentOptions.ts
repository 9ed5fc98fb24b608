/** The options for all runs of one agent: how its CLI is found, its environment, time limits and other limits. */
import { Schema } from "effect"
import { Timeouts } from "./AgentExecuteParams.ts"
import { DurationInput, MaybeSecret, makeParser } from "./input.ts"

export const EnvironmentOptions = Schema.Struct({
  /** `inherit` (default): the CLI gets the host's variables. `allow-list`: only those that `allow` names. */
  policy: Schema.optional(Schema.Literals(["inherit", "allow-list"])),
  /** Names, or prefixes that end in `*`. Default: variables that programs need in general, and those of the CLI itself. */
  allow: Schema.optional(Schema.Array(Schema.String)),
  /** Variables for every run; `undefined` removes one. They override the host's; those of a run override these. */
  values: Schema.optional(Schema.Record(Schema.String, Schema.UndefinedOr(MaybeSecret)))
})
export type EnvironmentOptions = typeof EnvironmentOptions.Type

const Count = Schema.Int.check(Schema.isGreaterThan(0))

/** When a run may start; until then it waits, with a `queued` notice. All runs and live sessions of this process count. */
export const Limits = Schema.Struct({
  /** Maximum number of concurrent runs of this CLI. Default: no limit. */
  perCli: Schema.optional(Count),
  /** Maximum number of concurrent runs of all CLIs. Default: no limit. */
  total: Schema.optional(Count),
  /**
   * Maximum time to wait until the previous run of this CLI has opened its session. For CLIs that disturb each other
   * while they start. Default: 0.
   */
  stagger: Schema.optional(DurationInput),
  /** Minimum of available memory in bytes, of the machine or its container. Default: none. */
  freeMemoryBytes: Schema.optional(Count),
  /** Time after which a waiting run fails with `LimitReached`; with 0 no run waits. Default: no limit. */
  maxWait: Schema.optional(DurationInput)
})
export type Limits = typeof Limits.Type

export const AgentOptions = Schema.Struct({
  /** The CLI's program: a name on PATH, or a path. Default: the CLI's own name. */
  command: Schema.optional(Schema.NonEmptyString),
  /** Arguments before all others, for wrappers: `{ command: "npx", baseArgs: ["claude"] }`. Arguments that change permissions are refused. */
  baseArgs: Schema.optional(Schema.Array(Schema.String)),
  /** Environment variables of the CLI and its child processes. */
  env: Schema.optional(EnvironmentOptions),
  /** Time limits; those of a run override them. */
  timeouts: Schema.optional(Timeouts),
  /** Limits for concurrent runs and their starts. Waiting does not count as time of the run. */
  limits: Schema.optional(Limits),
  /** Maximum length of an output line; longer ones are dropped with a notice. Default: 64 MiB. */
  maxLineBytes: Schema.optional(Count),
  /** Time between the stop signal and SIGKILL. Default: 10 s; 2 s for a process that never printed a line. */
  killGrace: Schema.optional(DurationInput),
  /** `stdin` (default), or `argument` for wrappers that need it: prompts of up to 10,000 characters. */
  promptVia: Schema.optional(Schema.Literals(["stdin", "argument"])),
  /** `subscription` removes the CLI's API keys from its environment, `api-key` requires one. Default: neither. */
  billing: Schema.optional(Schema.Literals(["subscription", "api-key"]))
})
export type AgentOptions = typeof AgentOptions.Type

export const parseOptions = makeParser(AgentOptions, "options")
