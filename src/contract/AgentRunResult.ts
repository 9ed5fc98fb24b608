/**
 * What remains of a run at its end, carried by the one `done` event and given by `run`.
 * The text is a fold over the events; everything else is told by the CLI or measured by the run.
 */
import { Effect, Schema } from "effect"
import { RunReason } from "./FailureReason.ts"

/** How a run ended, in one word. */
export const RunOutcome = Schema.Literals(["completed", "failed", "aborted", "timed_out"])
export type RunOutcome = typeof RunOutcome.Type

/** Token counts of this run. A count the CLI does not tell is absent, not 0. */
export const AgentUsage = Schema.Struct({
  /** Input tokens that came from no cache */
  inputTokens: Schema.optionalKey(Schema.Finite),
  /** Output tokens; thoughts included, where the CLI counts them */
  outputTokens: Schema.optionalKey(Schema.Finite),
  /** Input tokens that came from a cache */
  cacheReadTokens: Schema.optionalKey(Schema.Finite),
  /** Input tokens that were put into a cache */
  cacheWriteTokens: Schema.optionalKey(Schema.Finite)
}).annotate({ identifier: "AgentUsage" })
export type AgentUsage = typeof AgentUsage.Type

/** Usage and cost of this run by model, sub-agents included. */
export const ModelUsage = Schema.Struct({ ...AgentUsage.fields, costUsd: Schema.optionalKey(Schema.Finite) }).annotate({
  identifier: "ModelUsage"
})
export type ModelUsage = typeof ModelUsage.Type

/** A tool call that was refused without asking anybody. */
export const PermissionDenial = Schema.Struct({
  toolName: Schema.String,
  toolId: Schema.String,
  input: Schema.optionalKey(Schema.Unknown)
}).annotate({ identifier: "PermissionDenial" })
export type PermissionDenial = typeof PermissionDenial.Type

/** How the process ended, when it had ended before `done` was given. */
export const ProcessExit = Schema.Union([Schema.Struct({ code: Schema.Int }), Schema.Struct({ signal: Schema.String })])
export type ProcessExit = typeof ProcessExit.Type

/** Always there in memory; a JSON object leaves an undefined value out. */
const orUndefined = <S extends Schema.Constraint>(schema: S) =>
  Schema.UndefinedOr(schema).pipe(Schema.withDecodingDefaultKey(Effect.succeed(undefined)))

/** What the CLI told about the run besides its text. */
export const RunFacts = Schema.Struct({
  /** Cost of this run, not of the session */
  totalCostUsd: Schema.optionalKey(Schema.Finite),
  /** Time spent waiting for the model */
  apiDurationMs: Schema.optionalKey(Schema.Finite),
  /** Turns of the model */
  numTurns: Schema.optionalKey(Schema.Finite),
  /** Of the last model answer */
  stopReason: Schema.optionalKey(Schema.String),
  /** The CLI's own word for a failure */
  errorSubtype: Schema.optionalKey(Schema.String),
  /** Tool calls that were refused without asking anybody */
  permissionDenials: Schema.optionalKey(Schema.Array(PermissionDenial)),
  /** Usage and cost by model, sub-agents included */
  modelUsage: Schema.optionalKey(Schema.Record(Schema.String, ModelUsage)),
  /** Present when outputSchema was met, which is checked here and not left to the CLI */
  structuredOutput: Schema.optionalKey(Schema.Unknown)
})
export type RunFacts = typeof RunFacts.Type

export const AgentRunResult = Schema.Struct({
  outcome: RunOutcome,
  reason: RunReason,
  /** All main-thread text of the run, also of a run that failed */
  text: Schema.String,
  /** Absent when the CLI opened no session: a stored id stays as it was */
  sessionId: orUndefined(Schema.String),
  /** From the call to the end, measured here */
  durationMs: Schema.Finite,
  usage: orUndefined(AgentUsage),
  /** Whether the outcome is `aborted` */
  aborted: Schema.Boolean,
  ...RunFacts.fields,
  /** End of stderr, control characters removed */
  stderrTail: Schema.optionalKey(Schema.String),
  /** How the process ended, when it had ended before `done` was given */
  exit: Schema.optionalKey(ProcessExit)
}).annotate({ identifier: "AgentRunResult" })
export type AgentRunResult = typeof AgentRunResult.Type
