/**
 * The result of a run, in its `done` event and returned by `run`.
 * The text is a fold over the events; everything else is reported by the CLI or measured here.
 */
import { Effect, Schema } from "effect"
import { RunReason } from "./FailureReason.ts"

/** How a run ended, in one word. */
export const RunOutcome = Schema.Literals(["completed", "failed", "aborted", "timed_out"])
export type RunOutcome = typeof RunOutcome.Type

/** Token counts of this run. A count that the CLI does not report is absent, not 0. */
export const AgentUsage = Schema.Struct({
  /** Input tokens that did not come from a cache */
  inputTokens: Schema.optionalKey(Schema.Finite),
  /** Output tokens, including thinking where the CLI counts it */
  outputTokens: Schema.optionalKey(Schema.Finite),
  /** Input tokens that came from a cache */
  cacheReadTokens: Schema.optionalKey(Schema.Finite),
  /** Input tokens that were written to a cache */
  cacheWriteTokens: Schema.optionalKey(Schema.Finite)
}).annotate({ identifier: "AgentUsage" })
export type AgentUsage = typeof AgentUsage.Type

/** Usage and cost of this run for one model, including sub-agents. */
export const ModelUsage = Schema.Struct({ ...AgentUsage.fields, costUsd: Schema.optionalKey(Schema.Finite) }).annotate({
  identifier: "ModelUsage"
})
export type ModelUsage = typeof ModelUsage.Type

/** A tool call that was denied without asking. */
export const PermissionDenial = Schema.Struct({
  toolName: Schema.String,
  toolId: Schema.String,
  input: Schema.optionalKey(Schema.Unknown)
}).annotate({ identifier: "PermissionDenial" })
export type PermissionDenial = typeof PermissionDenial.Type

/** How the process ended, if it ended before `done`. */
export const ProcessExit = Schema.Union([Schema.Struct({ code: Schema.Int }), Schema.Struct({ signal: Schema.String })])
export type ProcessExit = typeof ProcessExit.Type

/** A key that always exists in memory; in JSON it is missing where the value is undefined. */
const orUndefined = <S extends Schema.Constraint>(schema: S) =>
  Schema.UndefinedOr(schema).pipe(Schema.withDecodingDefaultKey(Effect.succeed(undefined)))

/** Facts that the CLI reports about the run, besides its text. */
export const RunFacts = Schema.Struct({
  /** Cost of this run, not of the session */
  totalCostUsd: Schema.optionalKey(Schema.Finite),
  /** Time spent waiting for the model */
  apiDurationMs: Schema.optionalKey(Schema.Finite),
  /** Turns of the model */
  numTurns: Schema.optionalKey(Schema.Finite),
  /** Stop reason of the last model answer */
  stopReason: Schema.optionalKey(Schema.String),
  /** The CLI's own code for a failure */
  errorSubtype: Schema.optionalKey(Schema.String),
  /** Tool calls that were denied without asking */
  permissionDenials: Schema.optionalKey(Schema.Array(PermissionDenial)),
  /** Usage and cost by model, including sub-agents */
  modelUsage: Schema.optionalKey(Schema.Record(Schema.String, ModelUsage)),
  /** Present if the answer matches outputSchema, which is checked here and not left to the CLI */
  structuredOutput: Schema.optionalKey(Schema.Unknown)
})
export type RunFacts = typeof RunFacts.Type

export const AgentRunResult = Schema.Struct({
  outcome: RunOutcome,
  reason: RunReason,
  /** All text of the main agent, also of a failed run */
  text: Schema.String,
  /** Absent if the CLI opened no session: keep an id that was stored before */
  sessionId: orUndefined(Schema.String),
  /** From the call to the end, measured here */
  durationMs: Schema.Finite,
  usage: orUndefined(AgentUsage),
  /** Whether the outcome is `aborted` */
  aborted: Schema.Boolean,
  ...RunFacts.fields,
  /** The end of stderr, without control characters */
  stderrTail: Schema.optionalKey(Schema.String),
  /** How the process ended, if it ended before `done` */
  exit: Schema.optionalKey(ProcessExit)
}).annotate({ identifier: "AgentRunResult" })
/** `Output`: the type of the answer, by the `outputSchema` of the run or turn. */
export type AgentRunResult<Output = unknown> = Omit<typeof AgentRunResult.Type, "structuredOutput"> & {
  readonly structuredOutput?: Output
}
