/** The result of a run, in its `done` event and returned by `run`. */
import { Effect, Schema } from "effect"
import { RunReason } from "./FailureReason.ts"
import { schemaOf } from "./schemaOf.ts"

/** How a run ended, in one word. */
export type RunOutcome = "completed" | "failed" | "aborted" | "timed_out"

export const RunOutcome = schemaOf<RunOutcome>()(Schema.Literals(["completed", "failed", "aborted", "timed_out"]))

/** Token counts of this run. A count that the CLI does not report is absent, not 0. */
export interface AgentUsage {
  /** Input tokens that did not come from a cache */
  readonly inputTokens?: number
  /** Output tokens, including thinking where the CLI counts it */
  readonly outputTokens?: number
  /** Input tokens that came from a cache */
  readonly cacheReadTokens?: number
  /** Input tokens that were written to a cache */
  readonly cacheWriteTokens?: number
}

export const AgentUsage = schemaOf<AgentUsage>()(
  Schema.Struct({
    inputTokens: Schema.optionalKey(Schema.Finite),
    outputTokens: Schema.optionalKey(Schema.Finite),
    cacheReadTokens: Schema.optionalKey(Schema.Finite),
    cacheWriteTokens: Schema.optionalKey(Schema.Finite)
  }).annotate({ identifier: "AgentUsage" })
)

/** Usage and cost of this run for one model, including sub-agents. */
export interface ModelUsage extends AgentUsage {
  /** Cost in US dollars; absent where it is unknown */
  readonly costUsd?: number
}

export const ModelUsage = schemaOf<ModelUsage>()(
  Schema.Struct({ ...AgentUsage.fields, costUsd: Schema.optionalKey(Schema.Finite) }).annotate({
    identifier: "ModelUsage"
  })
)

/** A tool call that was denied without asking. */
export interface PermissionDenial {
  /** As the CLI names it */
  readonly toolName: string
  /** Id of the `tool_use` */
  readonly toolId: string
  /** Arguments of the call */
  readonly input?: unknown
}

export const PermissionDenial = schemaOf<PermissionDenial>()(
  Schema.Struct({
    toolName: Schema.String,
    toolId: Schema.String,
    input: Schema.optionalKey(Schema.Unknown)
  }).annotate({ identifier: "PermissionDenial" })
)

/** How the process ended, if it ended before `done`. */
export type ProcessExit = { readonly code: number } | { readonly signal: string }

export const ProcessExit = schemaOf<ProcessExit>()(
  Schema.Union([Schema.Struct({ code: Schema.Int }), Schema.Struct({ signal: Schema.String })])
)

/** A key that always exists in memory; in JSON it is missing where the value is undefined. */
const orUndefined = <S extends Schema.Constraint>(schema: S) =>
  Schema.UndefinedOr(schema).pipe(Schema.withDecodingDefaultKey(Effect.succeed(undefined)))

/** Facts that the CLI reports about the run, besides its text. */
export interface RunFacts<Output = unknown> {
  /** Cost of this run in US dollars, not of the session */
  readonly totalCostUsd?: number
  /** Time spent waiting for the model */
  readonly apiDurationMs?: number
  /** Turns of the model */
  readonly numTurns?: number
  /** Stop reason of the last model answer */
  readonly stopReason?: string
  /** The CLI's own code for a failure */
  readonly errorSubtype?: string
  /** Tool calls that were denied without asking */
  readonly permissionDenials?: ReadonlyArray<PermissionDenial>
  /** Usage and cost by model, including sub-agents */
  readonly modelUsage?: { readonly [model: string]: ModelUsage }
  /** Present if the answer matches outputSchema, which is checked here and not left to the CLI */
  readonly structuredOutput?: Output
}

export const RunFacts = schemaOf<RunFacts>()(
  Schema.Struct({
    totalCostUsd: Schema.optionalKey(Schema.Finite),
    apiDurationMs: Schema.optionalKey(Schema.Finite),
    numTurns: Schema.optionalKey(Schema.Finite),
    stopReason: Schema.optionalKey(Schema.String),
    errorSubtype: Schema.optionalKey(Schema.String),
    permissionDenials: Schema.optionalKey(Schema.Array(PermissionDenial)),
    modelUsage: Schema.optionalKey(Schema.Record(Schema.String, ModelUsage)),
    structuredOutput: Schema.optionalKey(Schema.Unknown)
  })
)

/** The result of a run, or of a turn of a live session. `Output`: the type of the answer, by its `outputSchema`. */
export interface AgentRunResult<Output = unknown> extends RunFacts<Output> {
  /** How the run ended */
  readonly outcome: RunOutcome
  /** Why it ended: `completed`, or the reason of its failure */
  readonly reason: RunReason
  /** All text of the main agent, also of a failed run */
  readonly text: string
  /** Absent if the CLI opened no session: keep an id that was stored before */
  readonly sessionId: string | undefined
  /** From the call to the end, measured here */
  readonly durationMs: number
  /** Token counts, with sub-agents and, if the run was ended, its answers until then; absent where none are known */
  readonly usage: AgentUsage | undefined
  /** Whether the outcome is `aborted` */
  readonly aborted: boolean
  /** The end of stderr, without control characters */
  readonly stderrTail?: string
  /** ISO time in UTC from which the same run may succeed, if the CLI names the end of a limit */
  readonly retryAt?: string
  /** How the process ended, if it ended before `done` */
  readonly exit?: ProcessExit
}

export const AgentRunResult = schemaOf<AgentRunResult>()(
  Schema.Struct({
    outcome: RunOutcome,
    reason: RunReason,
    text: Schema.String,
    sessionId: orUndefined(Schema.String),
    durationMs: Schema.Finite,
    usage: orUndefined(AgentUsage),
    aborted: Schema.Boolean,
    ...RunFacts.fields,
    stderrTail: Schema.optionalKey(Schema.String),
    retryAt: Schema.optionalKey(Schema.String),
    exit: Schema.optionalKey(ProcessExit)
  }).annotate({ identifier: "AgentRunResult" })
)
