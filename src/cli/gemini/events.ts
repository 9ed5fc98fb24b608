/**
 * Wire line → agent events: a step over a small state (0.61.0). A retry repeats its text unmarked, so repeated text stays;
 * thoughts and sub-agents are not printed; several results come together when the slowest tool is done.
 */
import type { AgentEvent } from "../../contract/AgentEvent.ts"
import type { RunReport } from "../Decoder.ts"
import { present } from "../jsonFields.ts"
import { addResult, type State, type Step } from "./run/state.ts"
import { describeTool, filesOf, isBuiltIn, todosOf } from "./run/tools.ts"
import type * as Wire from "./wire.ts"

const init = (state: State, line: Wire.Init): Step => [
  { ...state, report: { ...state.report, sessionId: line.session_id } },
  [{ type: "session", sessionId: line.session_id, ...present({ model: line.model }) }]
]

/** A whole message after its deltas would be a repetition; 0.61.0 prints only deltas. */
const message = (state: State, line: Wire.Message): Step => {
  if (line.role === "user" || line.content === "") return [state, []]
  const isDelta = line.delta === true
  if (!isDelta && state.isStreaming) return [{ ...state, isStreaming: false }, []]
  // Most lines are deltas behind a delta.
  const isSame = state.isStreaming && isDelta && state.hasAnswer
  const next = isSame ? state : { ...state, isStreaming: isDelta, hasAnswer: true }
  return [next, [{ type: "text", text: line.content }]]
}

const toolUse = (state: State, line: Wire.ToolUse): Step => {
  const { tool_name: toolName, tool_id: toolId, parameters: input } = line
  const facts = { ...describeTool(toolName, input, state.servers), ...filesOf(toolName, input) }
  state.calls.set(toolId, line)
  return [
    { ...state, hasAnswer: true },
    [{ type: "tool_use", toolName, toolId, input: input ?? {}, ...facts }, ...todosOf(toolId, toolName, input)]
  ]
}

/** A tool of the CLI that this run may not use does not exist for the model. */
const isDenial = (name: string, { type, message }: Wire.Problem) =>
  type === "policy_violation" ||
  type === "stop_execution" ||
  (type === "tool_not_registered" && isBuiltIn(name)) ||
  (type === "unhandled_exception" && /\brequires user confirmation\b/.test(message ?? ""))

const toolResult = (state: State, line: Wire.ToolResult): Step => {
  const output = line.output ?? line.error?.message ?? ""
  const isError = line.status === "error"
  const result: AgentEvent = { type: "tool_result", toolId: line.tool_id, output, isError }
  const call = state.calls.get(line.tool_id)
  state.calls.delete(line.tool_id)
  if (call === undefined || line.error == null || !isDenial(call.tool_name, line.error)) return [state, [result]]
  const { tool_name: toolName, tool_id: toolId, parameters } = call
  const denial = { toolName, toolId, ...(parameters === undefined ? {} : { input: parameters }) }
  const message = line.error.message ?? `${toolName} was denied`
  const notice: AgentEvent = { type: "notice", kind: "permission_denied", message, data: { toolName, toolId } }
  return [{ ...state, denials: [...state.denials, denial] }, [notice, result]]
}

const warning = (message: string): ReadonlyArray<AgentEvent> => [{ type: "notice", kind: "warning", message }]

/** Severity `error` is the reason of a failure if the result has none. */
const errorLine = (state: State, line: Wire.ErrorLine): Step => {
  const isFailure = line.severity === "error"
  const message = line.message ?? ""
  if (isFailure) return [{ ...state, error: { message, isFailure } }, []]
  return [{ ...state, error: state.error ?? { message, isFailure } }, warning(message || "Gemini CLI warns")]
}

const result = (state: State, line: Wire.RunResult): Step => {
  const next = { ...state, report: addResult(state.report, line), result: line }
  const isReason = line.status !== "success" && line.error == null
  return [next, state.error?.isFailure === true && !isReason ? warning(state.error.message) : []]
}

const stepOf = (state: State, line: Wire.Wire): Step => {
  switch (line.type) {
    case "init":
      return init(state, line)
    case "message":
      return message(state, line)
    case "tool_use":
      return toolUse(state, line)
    case "tool_result":
      return toolResult(state, line)
    case "error":
      return errorLine(state, line)
    case "result":
      return result(state, line)
  }
}

export const step = (state: State, line: Wire.Wire): Step => {
  const [next, events] = stepOf(state, line)
  return [line.type === "message" ? next : { ...next, isStreaming: false }, events]
}

export const report = ({ report, denials }: State): RunReport =>
  report.sessionId === undefined ? report : { ...report, permissionDenials: denials }
