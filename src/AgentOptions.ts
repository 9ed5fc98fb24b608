/** What holds for all runs of one agent: how its CLI is found, its environment, its budgets and limits. */
import { Schema } from "effect"
import { Timeouts } from "./AgentExecuteParams.ts"
import { DurationInput, MaybeSecret, makeParser } from "./input.ts"

export const EnvironmentOptions = Schema.Struct({
  policy: Schema.optional(
    Schema.Literals(["inherit", "allow-list"]).annotate({
      description: "inherit (default): the host's variables reach the CLI; allow-list: only those that `allow` names"
    })
  ),
  allow: Schema.optional(
    Schema.Array(Schema.String).annotate({
      description: "Names, or prefixes that end in *. Default: what a program needs to run, and the CLI's own API keys"
    })
  ),
  values: Schema.optional(
    Schema.Record(Schema.String, Schema.UndefinedOr(MaybeSecret)).annotate({
      description: "Added for every run; undefined removes a name. Those of a run win over these, these over the host's"
    })
  )
})
export type EnvironmentOptions = typeof EnvironmentOptions.Type

export const AgentOptions = Schema.Struct({
  command: Schema.optional(
    Schema.NonEmptyString.annotate({ description: "A name to find on PATH, or a path. Default: the CLI's own name" })
  ),
  baseArgs: Schema.optional(
    Schema.Array(Schema.String).annotate({
      description: 'Before all others, for wrappers: { command: "npx", baseArgs: […] }'
    })
  ),
  env: Schema.optional(EnvironmentOptions),
  timeouts: Schema.optional(Timeouts.annotate({ description: "Budgets of the watchdog; those of a run win" })),
  maxLineBytes: Schema.optional(
    Schema.Int.check(Schema.isGreaterThan(0)).annotate({
      description: "Longer wire lines are dropped with a notice; 64 MiB"
    })
  ),
  killGrace: Schema.optional(
    DurationInput.annotate({
      description: "From stop signal to SIGKILL; 10 s, 2 s for a process that never printed a line"
    })
  ),
  promptVia: Schema.optional(
    Schema.Literals(["stdin", "argument"]).annotate({
      description: "argument: for wrappers, prompts of up to 10,000 characters"
    })
  ),
  billing: Schema.optional(
    Schema.Literals(["subscription", "api-key"]).annotate({
      description:
        "subscription takes the CLI's API keys out of its environment, api-key demands one. Default: as it comes"
    })
  )
})
export type AgentOptions = typeof AgentOptions.Type

export const parseOptions = makeParser(AgentOptions, "options")
