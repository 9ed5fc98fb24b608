/** The Schema of the options of an agent; their types are in `types/AgentOptions.ts`. */
import { Schema } from "effect"
import { AgentExecuteParams, Timeouts } from "./AgentExecuteParams.ts"
import { DurationInput, MaybeSecret, makeParser } from "./checkInput.ts"
import type * as Types from "./types/AgentOptions.ts"

export const EnvironmentOptions = Schema.Struct({
  policy: Schema.optional(Schema.Literals(["inherit", "allow-list"])),
  allow: Schema.optional(Schema.Array(Schema.String)),
  values: Schema.optional(Schema.Record(Schema.String, Schema.UndefinedOr(MaybeSecret)))
})
export type EnvironmentOptions = Types.EnvironmentOptions

const Count = Schema.Int.check(Schema.isGreaterThan(0))

export const Limits = Schema.Struct({
  perCli: Schema.optional(Count),
  total: Schema.optional(Count),
  stagger: Schema.optional(DurationInput),
  freeMemoryBytes: Schema.optional(Count),
  maxWait: Schema.optional(DurationInput),
  guard: Schema.optional(Schema.Literals(["locks", "none"])),
  busyWait: Schema.optional(DurationInput)
})
export type Limits = Types.Limits

const {
  prompt: _prompt,
  sessionId: _sessionId,
  forkSession: _forkSession,
  newSessionId: _newSessionId,
  outputSchema: _outputSchema,
  retries: _retries,
  attachments: _attachments,
  abortSignal: _abortSignal,
  record: _record,
  ...lasting
} = AgentExecuteParams.fields

export const AgentDefaults = Schema.Struct(lasting)
export type AgentDefaults = Types.AgentDefaults

export const TelemetryOptions = Schema.Struct({
  content: Schema.optional(Schema.Boolean),
  cli: Schema.optional(Schema.Boolean)
})

export const AgentOptions = Schema.Struct({
  command: Schema.optional(Schema.NonEmptyString),
  baseArgs: Schema.optional(Schema.Array(Schema.String)),
  env: Schema.optional(EnvironmentOptions),
  defaults: Schema.optional(AgentDefaults),
  timeouts: Schema.optional(Timeouts),
  limits: Schema.optional(Limits),
  maxLineBytes: Schema.optional(Count),
  killGrace: Schema.optional(DurationInput),
  promptVia: Schema.optional(Schema.Literals(["stdin", "argument"])),
  billing: Schema.optional(Schema.Literals(["subscription", "api-key"])),
  telemetry: Schema.optional(TelemetryOptions)
})
export type AgentOptions = Types.AgentOptions

export const parseOptions = makeParser(AgentOptions, "options")
