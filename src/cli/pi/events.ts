/**
 * Wire line → agent events: a step over a small state (1.6.0). Text comes in pieces; the whole message behind them adds
 * what the pieces left out. The text of an attempt that failed is withdrawn when the next one begins.
 */
import type { AgentEvent } from "../../contract/AgentEvent.ts"
import { isSameUsage } from "../../contract/addUsage.ts"
import type { RunReport } from "../Decoder.ts"
import { at, listAt, present, textOfParts } from "../jsonFields.ts"
import { imagesOfBlock, mediaOf } from "../media.ts"
import { failureOf } from "./run/failures.ts"
import { addMessage, modelOf, type State, type Step, silence } from "./run/state.ts"
import { describeTool, exitOf, filesOf } from "./run/tools.ts"
import type * as Wire from "./wire.ts"

const session = (state: State, { id, cwd }: Wire.Session): Step => [
  { ...state, report: { ...state.report, sessionId: id } },
  [{ type: "session", sessionId: id, ...present({ workingDirectory: cwd }) }]
]

const isOfModel = ({ role }: Wire.Message) => role === "assistant"

/** Voids the text of a failed attempt. */
const withdraw = (state: State): Step => {
  const { characters } = state.spoken
  if (state.last?.stopReason !== "error" || characters === 0) return [state, []]
  const message = `The CLI withdrew the last ${characters} characters of its answer`
  return [
    { ...state, spoken: silence(), textLength: state.textLength - characters },
    [{ type: "notice", kind: "text_voided", message, data: { characters } }]
  ]
}

const messageStart = (before: State, message: Wire.Message): Step => {
  if (!isOfModel(message)) return [before, []]
  const [state, events] = withdraw(before)
  return [{ ...state, spoken: silence(), last: undefined }, events]
}

/** Separates the text of a message from that of the one before. */
const divider: AgentEvent = { type: "text", text: "" }

/** A piece of a block. */
const add = (state: State, kind: "text" | "thinking", piece: string, index: number): Step => {
  if (piece === "") return [state, []]
  const { spoken } = state
  const { lengths } = spoken
  lengths.set(index, (lengths.get(index) ?? 0) + piece.length)
  if (kind === "thinking") return [state, [{ type: "thinking", text: piece }]]
  const isNext = spoken.characters === 0 && state.textLength > 0
  const characters = spoken.characters + piece.length
  return [
    { ...state, spoken: { lengths, characters }, textLength: state.textLength + piece.length },
    [...(isNext ? [divider] : []), { type: "text", text: piece }]
  ]
}

const update = (state: State, { assistantMessageEvent: piece }: Wire.MessageUpdate): Step => {
  const index = piece.contentIndex ?? 0
  if (piece.type === "text_delta") return add(state, "text", piece.delta ?? "", index)
  if (piece.type === "thinking_delta") return add(state, "thinking", piece.delta ?? "", index)
  return [state, []]
}

/** Adds the text that the pieces of a message left out, as from a provider that streams nothing. */
const rest = (state: State, message: Wire.Message): Step =>
  listAt(message, "content").reduce<Step>(
    ([before, events], block, index) => {
      const kind = at(block, "type")
      if (kind !== "text" && kind !== "thinking") return [before, events]
      const whole = at(block, kind)
      const length = before.spoken.lengths.get(index) ?? 0
      if (typeof whole !== "string" || whole.length <= length) return [before, events]
      const [next, more] = add(before, kind, whole.slice(length), index)
      return [next, [...events, ...more]]
    },
    [state, []]
  )

/** The sum of the messages so far, if it has grown. */
const usageOfRun = ({ usage, totalCostUsd }: RunReport, before: RunReport, model: string | undefined) => {
  const isOld = isSameUsage(usage, before.usage) && totalCostUsd === before.totalCostUsd
  if (usage === undefined || isOld) return []
  return [{ type: "usage", usage, ...present({ totalCostUsd, model }) } as const]
}

const messageEnd = (before: State, message: Wire.Message): Step => {
  if (!isOfModel(message)) return [before, []]
  const [state, events] = message.stopReason === "error" ? [before, []] : rest(before, message)
  const report = addMessage(state.report, message)
  const last = { stopReason: message.stopReason ?? "unknown", ...present({ errorMessage: message.errorMessage }) }
  return [{ ...state, last, report }, [...events, ...usageOfRun(report, state.report, modelOf(message))]]
}

const toolStart = (state: State, { toolCallId: toolId, toolName, args: input = {} }: Wire.ToolStart): Step => [
  state,
  [{ type: "tool_use", toolName, toolId, input, ...describeTool(toolName, input), ...filesOf(toolName, input) }]
]

const toolEnd = (state: State, { toolCallId: toolId, toolName, result, isError: hasFailed }: Wire.ToolEnd): Step => {
  const output = textOfParts(result?.content)
  const isError = hasFailed === true
  const facts = {
    ...exitOf(toolName, output, isError, at(result, "structuredContent")),
    ...mediaOf(listAt(result, "content").flatMap(imagesOfBlock)),
    ...present({ raw: at(result, "details") })
  }
  return [state, [{ type: "tool_result", toolId, output, isError, ...facts }]]
}

const seconds = (ms: number | null | undefined) => (ms == null ? "" : ` in ${Math.round(ms / 100) / 10} s`)

const retry = (before: State, { attempt, maxAttempts, delayMs, errorMessage }: Wire.RetryStart): Step => {
  const [state, events] = withdraw(before)
  const message = `The model is asked again${seconds(delayMs)}: ${failureOf(errorMessage).detail}`
  const notice: AgentEvent = {
    type: "notice",
    kind: "retry",
    message,
    data: present({ attempt, maxAttempts, delayMs })
  }
  return [{ ...state, isAtRest: false }, [notice, ...events]]
}

const notice = (kind: "info" | "warning", message: string): ReadonlyArray<AgentEvent> => [
  { type: "notice", kind, message }
]

const compacted = (before: State, { willRetry, errorMessage }: Wire.CompactionEnd): Step => {
  const [state, events] = willRetry === true ? withdraw(before) : ([before, []] as const)
  const isAtRest = state.isAtRest && willRetry !== true
  const problem = errorMessage == null ? [] : notice("warning", errorMessage)
  return [{ ...state, isCompacting: false, isAtRest }, [...events, ...problem]]
}

const extensionError = ({ extensionPath, error }: Wire.ExtensionError) =>
  notice("warning", `The extension ${extensionPath ?? ""} failed: ${error ?? "without a reason"}`)

export const step = (state: State, line: Wire.Wire): Step => {
  switch (line.type) {
    case "session":
      return session(state, line)
    case "message_start":
      return messageStart(state, line.message)
    case "message_update":
      return update(state, line)
    case "message_end":
      return messageEnd(state, line.message)
    case "tool_execution_start":
      return toolStart(state, line)
    case "tool_execution_end":
      return toolEnd(state, line)
    case "agent_start":
      return [{ ...state, isAtRest: false }, []]
    case "agent_end":
    case "agent_settled":
      return [{ ...state, isAtRest: true }, []]
    case "auto_retry_start":
      return retry(state, line)
    case "auto_retry_end":
      // Printed before the end of an attempt that succeeded, and instead of an attempt that is given up.
      return [line.success === true ? state : { ...state, isAtRest: true }, []]
    case "compaction_start":
      return [{ ...state, isCompacting: true }, notice("info", "Pi summarizes the conversation to make room for more")]
    case "compaction_end":
      return compacted(state, line)
    case "extension_error":
      return [state, extensionError(line)]
    default:
      return [state, []]
  }
}
