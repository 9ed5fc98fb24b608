/** Wire line → agent events: a pure step (1.18.33). Text comes in whole blocks; a tool's call with its result. */
import { Predicate, Result } from "effect"
import type { AgentEvent } from "../../contract/AgentEvent.ts"
import { isSameUsage } from "../../contract/addUsage.ts"
import type { RunReport } from "../Decoder.ts"
import { at, present } from "../jsonFields.ts"
import { base64OfUrl, mediaOf } from "../media.ts"
import { addStep } from "./run/result.ts"
import { isRefusal, type State, type Step, standInFor } from "./run/state.ts"
import { describeTool, exitOf, filesOf, hasFailed, todosOf } from "./run/tools.ts"
import * as Wire from "./wire.ts"

export const step = (state: State, { sessionID }: Wire.Wire, raw: unknown): Step => {
  const [opened, session] = open(state, sessionID)
  const line = Wire.decodeLine(raw)
  if (Result.isFailure(line)) return [opened, [...session, { type: "unknown", raw }]]
  const [next, events] = read(opened, line.success)
  return [next, [...session, ...events]]
}

/** No line marks a session's start; every line names its session. */
const open = (state: State, sessionId: string | null | undefined): Step => {
  if (sessionId == null || sessionId === state.report.sessionId) return [state, []]
  return [{ ...state, report: { ...state.report, sessionId } }, [{ type: "session", sessionId }]]
}

const read = (state: State, line: Wire.Line): Step => {
  switch (line.type) {
    case "step_start":
      return stepStart(state, line.part.messageID ?? undefined)
    case "text":
      return line.part.synthetic === true ? synthetic(state, line) : text(state, line)
    case "reasoning":
      return [content(state, line.part), line.part.text === "" ? [] : [{ type: "thinking", text: line.part.text }]]
    case "tool_use":
      return tool(content(state, line.part), line)
    case "step_finish": {
      const { part } = line
      const last = { type: "step_finish", reason: part.reason, messageId: part.messageID ?? undefined } as const
      const report = addStep(state.report, part)
      const [next, answer] = stepOver({ ...state, last, openMessage: undefined, report }, part.reason)
      return [next, [...answer, ...usageOfRun(report, state.report)]]
    }
    case "error": {
      const report = { ...state.report, ...present({ errorSubtype: line.error.name }) }
      return [{ ...state, last: { type: "error" }, failure: line.error, report }, []]
    }
  }
}

/** In a step without text whose tool call failed, the tool's error is the only answer, marked by a notice. */
const stepOver = (state: State, reason: string): Step => {
  const { failedTool, textLength } = state
  if (failedTool === undefined || textLength > 0 || reason === "tool-calls") return [state, []]
  const { text, notice } = standInFor(failedTool)
  const [next, voided] = takenBack(state)
  return [{ ...next, standIn: text.length }, [...voided, notice, { type: "text", text }]]
}

/** The sum of the steps so far, if it has grown. */
const usageOfRun = ({ usage, totalCostUsd }: RunReport, before: RunReport): ReadonlyArray<AgentEvent> => {
  const isOld = isSameUsage(usage, before.usage) && totalCostUsd === before.totalCostUsd
  if (usage === undefined || isOld) return []
  return [{ type: "usage", usage, ...present({ totalCostUsd }) }]
}

/** Tools of a broken-off answer may be reported as aborted after the step is over, which does not reopen it. */
const content = (state: State, { messageID }: { readonly messageID?: string | null }): State => {
  const isLate = state.last.type === "step_finish" && messageID != null && messageID === state.last.messageId
  return isLate ? state : { ...state, last: { type: "content" } }
}

/** A repeated request starts its answer a second time under the same id. */
const stepStart = (state: State, messageId: string | undefined): Step => {
  const next: State = { ...state, last: { type: "content" }, openMessage: messageId, refusal: undefined }
  if (messageId === undefined || messageId !== state.openMessage) return [next, []]
  const [voided, withdrawn] = withdraw(next, messageId)
  const retry: AgentEvent = { type: "notice", kind: "retry", message: "The answer broke off and is asked for again" }
  return [voided, [retry, ...withdrawn]]
}

/** Voids the message so far: finished blocks are printed at once. */
const withdraw = (state: State, messageId: string | undefined): Step => {
  const { length: characters } = state.tail
  if (characters === 0 || state.tail.messageId !== messageId) return [state, []]
  const message = `The CLI withdrew the last ${characters} characters of its answer`
  return [
    { ...state, textLength: state.textLength - characters, tail: { messageId, length: 0 } },
    [{ type: "notice", kind: "text_voided", message, data: { characters } }]
  ]
}

/** Blocks are separated by a blank line. */
const text = (state: State, { part }: Pick<Wire.Text, "part">): Step => {
  if (part.text === "") return [content(state, part), []]
  if (state.standIn > 0) return answered(state, { part })
  const value = state.textLength === 0 ? part.text : `\n\n${part.text}`
  const messageId = part.messageID ?? undefined
  const before = state.tail.messageId === messageId ? state.tail.length : 0
  const next: State = {
    ...content(state, part),
    textLength: state.textLength + value.length,
    tail: { messageId, length: before + value.length }
  }
  return [next, [{ type: "text", text: value }]]
}

const takenBack = (state: State): Step => {
  const { standIn: characters } = state
  if (characters === 0) return [state, []]
  const message = `The last ${characters} characters stood in the place of an answer`
  return [{ ...state, standIn: 0 }, [{ type: "notice", kind: "text_voided", message, data: { characters } }]]
}

/** An answer replaces the stand-in. */
const answered = (state: State, line: Pick<Wire.Text, "part">): Step => {
  const [without, voided] = takenBack(state)
  const [next, events] = text(without, line)
  return [next, [...voided, ...events]]
}

/** A message from OpenCode to the model. After a compaction, the text of the step before it is a summary, not an answer. */
const synthetic = (state: State, { part }: Wire.Text): Step => {
  const isCompaction = part.metadata?.compaction_continue === true
  const summary = isCompaction && state.last.type === "step_finish" ? state.last.messageId : undefined
  const [next, withdrawn] = summary === undefined ? [state, []] : withdraw(state, summary)
  const notice: AgentEvent = { type: "notice", kind: "info", message: `OpenCode told the model: ${part.text}` }
  return [content(next, part), [...withdrawn, notice]]
}

const tool = (state: State, { part }: Wire.ToolUse): Step => {
  const { state: ended } = part
  const input = ended.input ?? {}
  // An impossible call is redirected to a tool of this name, which is "completed".
  const invalid = part.tool === "invalid" ? at(input, "tool") : undefined
  const toolName = Predicate.isString(invalid) ? invalid : part.tool
  const toolId = part.callID
  const output = (ended.status === "error" ? ended.error : ended.output) ?? ""
  const isError = part.tool === "invalid" || isFailed(part)
  const next: State = { ...state, failedTool: isError ? { toolName, toolId, output } : undefined }
  const facts = { ...describeTool(toolName, input, state.mcpServers), ...filesOf(toolName, input) }
  const events: ReadonlyArray<AgentEvent> = [
    { type: "tool_use", toolName, toolId, input, ...facts },
    ...todosOf(toolId, toolName, input),
    { type: "tool_result", toolId, output, isError, ...exitOf(part.tool, ended.metadata), ...richer(ended) }
  ]
  const isRefused = ended.status === "error" && isRefusal(output)
  if (!isRefused) return [next, events]
  const permissionDenials = [...(state.report.permissionDenials ?? []), { toolName, toolId, input }]
  const message = `${toolName} was denied`
  const notice: AgentEvent = { type: "notice", kind: "permission_denied", message, data: { toolName, toolId } }
  const refusal = { toolName, message: output }
  return [{ ...next, refusal, report: { ...state.report, permissionDenials } }, [...events, notice]]
}

/** A command that fails or times out is "completed", too; only its exit code shows that. */
const isFailed = ({ tool: name, state: { status, metadata } }: Wire.ToolUse["part"]) => {
  return status === "error" || hasFailed(name, metadata)
}

const richer = ({ metadata, attachments }: Wire.ToolUse["part"]["state"]) => {
  if (metadata == null && attachments == null) return {}
  const files: ReadonlyArray<unknown> = Array.isArray(attachments) ? attachments : []
  return { raw: present({ metadata, attachments }), ...mediaOf(files.flatMap((file) => base64OfUrl(at(file, "url")))) }
}
