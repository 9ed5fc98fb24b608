/**
 * The output of `codex exec --json`, one JSON object a line (0.169.0). Lenient: only the fields in use, any of them may be
 * null. An item is decoded on its own, so that an unknown one is kept whole as an `unknown` event; frequent ones are checked
 * together with their line.
 */
import { Result, Schema } from "effect"
import type { Decode } from "../lenient.ts"
import { anything, compiledCheck, flag, number, optional, text, typed, wireDecoder } from "../wireDecoder.ts"

const ThreadStarted = typed("thread.started", { thread_id: Schema.String })
const TurnStarted = typed("turn.started", {})
const stages = ["item.started", "item.updated", "item.completed"] as const
export type Stage = (typeof stages)[number]
const RawItem = { item: Schema.Unknown }
const RawItemLines = [typed(stages[0], RawItem), typed(stages[1], RawItem), typed(stages[2], RawItem)] as const

/** A running total of the thread, not of the run. */
const Totals = Schema.Struct({
  input_tokens: number,
  cached_input_tokens: number,
  cache_write_input_tokens: number,
  output_tokens: number
})
export type Totals = typeof Totals.Type
export const decodeTotals = wireDecoder(Totals)
const Problem = Schema.Struct({ message: text })
const TurnCompleted = typed("turn.completed", { usage: optional(Totals) })
/** The API names the end of a limit in seconds, from now or since 1970. */
const LimitedProblem = Schema.Struct({ ...Problem.fields, resets_in_seconds: number, resets_at: number })
const TurnFailed = typed("turn.failed", { error: optional(LimitedProblem) })
/** A sign of a retry, or the copy of the last message just before `turn.failed`. */
const ErrorLine = typed("error", { message: text })

const Line = Schema.Union([...RawItemLines, ThreadStarted, TurnStarted, TurnCompleted, TurnFailed, ErrorLine])

/** in_progress, completed, failed, declined */
const status = text

const item = <const Type extends string, Fields extends Schema.Struct.Fields>(type: Type, fields: Fields) =>
  Schema.Struct({ id: Schema.String, type: Schema.Literal(type), ...fields })

const AgentMessage = item("agent_message", { text: Schema.String })
const Reasoning = item("reasoning", { text: Schema.String })
export type Message = typeof AgentMessage.Type | typeof Reasoning.Type

const CommandExecution = item("command_execution", {
  command: text,
  aggregated_output: text,
  exit_code: number,
  status
})

export type CommandExecution = typeof CommandExecution.Type

/** Only `app-server` prints the diff. */
const FileChange = item("file_change", {
  changes: optional(Schema.Array(Schema.Struct({ path: text, kind: text, diff: text }))),
  status
})
export type FileChange = typeof FileChange.Type

const McpToolCall = item("mcp_tool_call", {
  server: text,
  tool: text,
  arguments: anything,
  result: optional(Schema.Struct({ content: optional(Schema.Array(Schema.Unknown)), structured_content: anything })),
  error: optional(Problem),
  status
})
export type McpToolCall = typeof McpToolCall.Type

/** The key `id` comes twice; the second one, which JSON.parse keeps, is the same in both lines of a search. */
const WebSearch = item("web_search", { query: text, action: anything, status })

const CollabToolCall = item("collab_tool_call", {
  tool: text,
  prompt: text,
  receiver_thread_ids: optional(Schema.Array(Schema.String)),
  agents_states: optional(Schema.Record(Schema.String, Schema.Struct({ status: text, message: text }))),
  status
})
export type CollabToolCall = typeof CollabToolCall.Type

const TodoList = item("todo_list", {
  items: Schema.Array(Schema.Struct({ text, completed: flag }))
})
export type TodoList = typeof TodoList.Type

/** A warning, never the end. */
const ErrorItem = item("error", { message: text })

const ToolItem = Schema.Union([CommandExecution, FileChange, McpToolCall, WebSearch, CollabToolCall])
export type ToolItem = typeof ToolItem.Type

const Item = Schema.Union([AgentMessage, Reasoning, CommandExecution, FileChange, McpToolCall, WebSearch,
  CollabToolCall, TodoList, ErrorItem]) // biome-ignore format: one list
export type Item = typeof Item.Type
export const decodeItem = wireDecoder(Item)

/** Undefined for an item of unknown form. */
export interface ItemLine {
  readonly type: Stage
  readonly item: Item | undefined
}
export type Wire = Exclude<typeof Line.Type, { readonly type: Stage }> | ItemLine
export type ThreadStarted = typeof ThreadStarted.Type
export type TurnCompleted = typeof TurnCompleted.Type

/** Nearly all lines of a run, with all their fields. Nothing of them is passed on whole. */
const isFrequent = compiledCheck(
  Schema.Struct({
    type: Schema.Literals(stages),
    item: Schema.Union([
      AgentMessage,
      Reasoning,
      Schema.Struct({
        ...CommandExecution.fields,
        command: Schema.String,
        aggregated_output: Schema.String,
        exit_code: Schema.NullOr(Schema.Finite),
        status: Schema.String
      }),
      Schema.Struct({ ...WebSearch.fields, query: Schema.String })
    ])
  })
)

const decodeLine = wireDecoder(Line)

const withItem = (line: typeof Line.Type): Wire =>
  "item" in line ? { type: line.type, item: Result.getOrUndefined(decodeItem(line.item)) } : line

export const decodeWire: Decode<Wire> = (json) =>
  isFrequent(json) ? Result.succeed(json) : Result.map(decodeLine(json), withItem)
