/**
 * The work of an agent as three events for display: started, an action that begins and ends, completed. A view of the
 * events of a run, made by `actionsOf`; texts are harmless and on one line.
 */
import { Schema } from "effect"
import { ErrorEvent } from "../../contract/AgentEvent.ts"
import { AgentRunResult } from "../../contract/AgentRunResult.ts"
import { ToolKind } from "../../contract/ToolEvent.ts"

/** Id of the action of the sub-agent that it belongs to. Default: the main agent. */
const parentId = Schema.optionalKey(Schema.String)

/** The agent has its session; again when a fact of it changes. */
export const Started = Schema.Struct({
  type: Schema.tag("started"),
  sessionId: Schema.String,
  model: Schema.optionalKey(Schema.String),
  workingDirectory: Schema.optionalKey(Schema.String),
  cliVersion: Schema.optionalKey(Schema.String),
  parentId
}).annotate({ identifier: "Started" })
export type Started = typeof Started.Type

/** `updated`: its title or kind has become known better. */
const ActionPhase = Schema.Literals(["started", "updated", "completed"])

/** The result of a tool, in short. */
export const ActionOutput = Schema.Struct({
  characters: Schema.Finite,
  lines: Schema.Finite,
  /** At most 300 characters. */
  firstLine: Schema.String,
  /** There is more than the first line. */
  truncated: Schema.Boolean
}).annotate({ identifier: "ActionOutput" })
export type ActionOutput = typeof ActionOutput.Type

const ActionDetail = Schema.Struct({
  /** The input as it came, with long texts and lists cut: about 2,000 characters. */
  input: Schema.optionalKey(Schema.Json),
  /** Completed actions only. */
  output: Schema.optionalKey(ActionOutput)
}).annotate({ identifier: "ActionDetail" })

/** Lines of files that an action adds and removes. */
export const LineChanges = Schema.Struct({ added: Schema.Finite, removed: Schema.Finite }).annotate({
  identifier: "LineChanges"
})
export type LineChanges = typeof LineChanges.Type

/** A tool call, at one moment of it. */
export const Action = Schema.Struct({
  type: Schema.tag("action"),
  phase: ActionPhase,
  /** The same in every phase. */
  id: Schema.String,
  kind: ToolKind,
  /** As the CLI names it. */
  toolName: Schema.String,
  /** The command, path, query…; at most 300 characters. */
  title: Schema.String,
  parentId,
  /** Completed actions only; absent if the run ended before the action did. */
  ok: Schema.optionalKey(Schema.Boolean),
  detail: Schema.optionalKey(ActionDetail),
  changes: Schema.optionalKey(LineChanges),
  /** In ms, by the clock of the view's maker. Default: unknown. */
  startedAt: Schema.optionalKey(Schema.Finite),
  durationMs: Schema.optionalKey(Schema.Finite)
}).annotate({ identifier: "Action" })
export type Action = typeof Action.Type

/** The end of a run, of a turn, or of a live session. */
export const Completed = Schema.Struct({
  type: Schema.tag("completed"),
  /** `turn`: more can follow. */
  of: Schema.Literals(["run", "turn"]),
  /** Whether the outcome is `completed`. */
  ok: Schema.Boolean,
  result: AgentRunResult,
  /** Why it failed. */
  error: Schema.optionalKey(ErrorEvent)
}).annotate({ identifier: "Completed" })
export type Completed = typeof Completed.Type

export const AgentAction = Schema.Union([Started, Action, Completed])
  .annotate({ identifier: "AgentAction" })
  .pipe(Schema.toTaggedUnion("type"))
export type AgentAction = typeof AgentAction.Type
