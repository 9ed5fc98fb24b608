/**
 * The Schema of a result, whose type is in `types/AgentRunResult.ts`. The text is a fold over the events; everything else
 * is reported by the CLI or measured here.
 */
import { Effect, Schema } from "effect"
import { RunReason } from "./FailureReason.ts"
import type * as Types from "./types/AgentRunResult.ts"

export const RunOutcome = Schema.Literals(["completed", "failed", "aborted", "timed_out"])
export type RunOutcome = Types.RunOutcome

export const AgentUsage = Schema.Struct({
  inputTokens: Schema.optionalKey(Schema.Finite),
  outputTokens: Schema.optionalKey(Schema.Finite),
  cacheReadTokens: Schema.optionalKey(Schema.Finite),
  cacheWriteTokens: Schema.optionalKey(Schema.Finite)
}).annotate({ identifier: "AgentUsage" })
export type AgentUsage = Types.AgentUsage

export const ModelUsage = Schema.Struct({ ...AgentUsage.fields, costUsd: Schema.optionalKey(Schema.Finite) }).annotate({
  identifier: "ModelUsage"
})
export type ModelUsage = Types.ModelUsage

export const PermissionDenial = Schema.Struct({
  toolName: Schema.String,
  toolId: Schema.String,
  input: Schema.optionalKey(Schema.Unknown)
}).annotate({ identifier: "PermissionDenial" })
export type PermissionDenial = Types.PermissionDenial

export const ProcessExit = Schema.Union([Schema.Struct({ code: Schema.Int }), Schema.Struct({ signal: Schema.String })])
export type ProcessExit = Types.ProcessExit

/** A key that always exists in memory; in JSON it is missing where the value is undefined. */
const orUndefined = <S extends Schema.Constraint>(schema: S) =>
  Schema.UndefinedOr(schema).pipe(Schema.withDecodingDefaultKey(Effect.succeed(undefined)))

export const RunFacts = Schema.Struct({
  totalCostUsd: Schema.optionalKey(Schema.Finite),
  apiDurationMs: Schema.optionalKey(Schema.Finite),
  numTurns: Schema.optionalKey(Schema.Finite),
  stopReason: Schema.optionalKey(Schema.String),
  errorSubtype: Schema.optionalKey(Schema.String),
  permissionDenials: Schema.optionalKey(Schema.Array(PermissionDenial)),
  modelUsage: Schema.optionalKey(Schema.Record(Schema.String, ModelUsage)),
  structuredOutput: Schema.optionalKey(Schema.Unknown)
})
export type RunFacts = Types.RunFacts

export const AgentRunResult = Schema.Struct({
  outcome: RunOutcome,
  reason: RunReason,
  text: Schema.String,
  sessionId: orUndefined(Schema.String),
  durationMs: Schema.Finite,
  usage: orUndefined(AgentUsage),
  aborted: Schema.Boolean,
  ...RunFacts.fields,
  stderrTail: Schema.optionalKey(Schema.String),
  exit: Schema.optionalKey(ProcessExit)
}).annotate({ identifier: "AgentRunResult" })
export type AgentRunResult<Output = unknown> = Types.AgentRunResult<Output>
