/** Answers and tool results → events (2.1.328). `assistant` lines are the authority; deltas only bring text sooner. */
import { Predicate, Result } from "effect"
import type { AgentEvent } from "../../../contract/AgentEvent.ts"
import { at, textAt } from "../../jsonFields.ts"
import { mediaOf } from "../../media.ts"
import * as Wire from "../wire.ts"
import { resetTime, voidedNotice } from "./notices.ts"
import { answerUsage, type State, type Step } from "./state.ts"
import type { StreamedKind } from "./streams.ts"
import { callEvents } from "./tools.ts"

/** Separates the next text of the main agent from the one before. */
const divider: AgentEvent = { type: "text", text: "" }

const parent = (id: string | null | undefined) => (id == null ? {} : { parentToolId: id })

/** The beginning and the end of a streamed message; its deltas are read by `streams.ts`. */
export const streamEvent = (state: State, line: Wire.StreamEvent, raw: unknown): Step => {
  switch (line.event.type) {
    case "message_start":
      return messageStart(state, line)
    case "message_delta":
      return messageDelta(state, line)
    case "message_stop":
      return messageStop(state, line)
    case "content_block_stop":
    case "ping":
      return [state, []]
    default:
      return [state, [{ type: "unknown", raw }]]
  }
}

const messageStart = (state: State, { event: { message }, api_message_id }: Wire.StreamEvent): Step => {
  const messageId = message?.id ?? api_message_id ?? ""
  state.answers.count(messageId, message?.usage)
  state.hooks.clear()
  const model = message?.model ?? state.model
  const isApart = state.isApart || state.stopReason === "end_turn"
  const next: State = { ...state, messageId, isCounted: false, stopReason: undefined, isApart: false, model }
  return [next, isApart ? [divider] : []]
}

const messageDelta = (state: State, { event, api_message_id: id }: Wire.StreamEvent): Step => {
  state.answers.count(id ?? state.messageId, event.usage)
  return answerUsage({ ...state, isCounted: true, stopReason: event.delta?.stop_reason ?? undefined })
}

/** The end of a stream. Versions up to 2.1.289 do not mark an abandoned one, but omit the line before; open blocks are void. */
const messageStop = (state: State, { abandoned_blocks: abandoned, api_message_id: id }: Wire.StreamEvent): Step => {
  if (abandoned?.api_message_id == null && state.isCounted) {
    return [state.stopReason === "end_turn" ? { ...state, isAnswered: true } : state, []]
  }
  const voided =
    abandoned?.api_message_id == null
      ? state.streams.abandonOpen(id ?? state.messageId)
      : state.streams.abandon(abandoned.api_message_id, abandoned.from_block_index ?? 0)
  const [next, events] = answerUsage({ ...state, isCounted: true })
  return [next, [...voidedNotice(voided), ...events]]
}

export const assistant = (state: State, line: Wire.Assistant): Step => {
  if (line.is_api_error_message === true) {
    const limit = line.api_error_params?.rate_limit_info
    const resetsIn = limit?.resetsAt == null ? undefined : limit.resetsAt * 1000 - Date.parse(line.timestamp ?? "")
    const retryAfterMs = resetsIn === undefined || !Number.isFinite(resetsIn) ? undefined : Math.max(0, resetsIn)
    const retryAt = resetTime(limit) ?? (line.error === "rate_limit" ? state.limitEnds : undefined)
    return [{ ...state, apiError: { error: line.error, retryAfterMs, retryAt } }, []]
  }
  const { content } = line.message
  const blocks = Predicate.isString(content) ? [{ type: "text", text: content }] : content
  const [first, usage] = counted(ended(state, line), line)
  const isApart = state.isApart && line.parent_tool_use_id == null
  return blocks.reduce<Step>(
    ([before, events], raw) => {
      const [after, more] = block(before, line, raw)
      return [after, [...events, ...more]]
    },
    isApart ? [{ ...first, isApart: false }, [divider, ...usage]] : [first, usage]
  )
}

/** The end of an answer that was not streamed, such as one after a stream that broke off. */
const ended = (state: State, { message, parent_tool_use_id }: Wire.Assistant): State => {
  const { stop_reason: stopReason, model } = message
  if (stopReason == null || parent_tool_use_id != null || model === synthetic) return state
  return { ...state, stopReason, isAnswered: stopReason === "end_turn" }
}

/** Answers that are not streamed, such as a sub-agent's, have no other line that counts them. */
const counted = (state: State, { message: { id, usage, model } }: Wire.Assistant): Step => {
  const isStreaming = !state.isCounted && id === state.messageId
  if (model === synthetic || isStreaming || !state.answers.count(id ?? "", usage)) return [state, []]
  return answerUsage({ ...state, model: model ?? state.model })
}

/** The model of an answer that the CLI itself has made. */
export const synthetic = "<synthetic>"

const block = (state: State, line: Wire.Assistant, raw: unknown): Step => {
  const nested = parent(line.parent_tool_use_id)
  const decoded = Wire.decodeBlock(raw)
  if (Result.isFailure(decoded))
    return [state, [toolOutcome(raw, undefined, nested) ?? { type: "unknown", raw, ...nested }]]
  const known = decoded.success
  switch (known.type) {
    case "text":
      return whole(state, line, "text", known.text)
    case "thinking":
      return whole(state, line, "thinking", known.thinking)
    case "redacted_thinking":
      return [state, []]
    default: {
      const { id: toolId, name: toolName, input = {} } = known
      return [state, callEvents(toolId, toolName, input, nested)]
    }
  }
}

/** Sub-agents are never streamed: their text is not counted. */
const whole = (state: State, line: Wire.Assistant, type: StreamedKind, text: string): Step => {
  const nested = parent(line.parent_tool_use_id)
  if (line.parent_tool_use_id != null) return [state, text === "" ? [] : [{ type, text, ...nested }]]
  const { voided, missing } = state.streams.settle(line.message.id ?? "", type, text)
  return [state, [...voidedNotice(voided), ...(missing === "" ? [] : [{ type, text: missing }])]]
}

const textOf = (content: unknown): string => {
  if (Predicate.isString(content)) return content
  if (content === undefined || content === null) return ""
  if (!Array.isArray(content)) return JSON.stringify(content)
  return content
    .map((part: unknown) => {
      if (Predicate.hasProperty(part, "text") && Predicate.isString(part.text)) return part.text
      return Predicate.hasProperty(part, "type") ? `[${String(part.type)}]` : JSON.stringify(part)
    })
    .join("\n")
}

const imagesOf = (content: unknown): ReadonlyArray<string> =>
  Array.isArray(content)
    ? content.flatMap((part: unknown) => (at(part, "type") === "image" ? (textAt(part, "source", "data") ?? []) : []))
    : []

/** The CLI's words for a command that failed; it names no other exit code (2.1.330). */
const failedCommand = /^Error: Exit code (\d{1,3})(?:\n|$)/

const exitOf = (richer: unknown) => {
  const exitCode = Predicate.isString(richer) ? failedCommand.exec(richer)?.[1] : undefined
  return exitCode === undefined ? {} : { exitCode: Number(exitCode) }
}

const toolOutcome = (
  raw: unknown,
  richer: unknown,
  nested: { readonly parentToolId?: string }
): AgentEvent | undefined => {
  const outcome = Wire.decodeToolOutcome(raw)
  if (Result.isFailure(outcome)) return undefined
  const { tool_use_id: toolId, content, is_error } = outcome.success
  const more = richer ?? (Predicate.isString(content) ? undefined : content)
  return {
    type: "tool_result",
    toolId,
    output: textOf(content),
    isError: is_error === true,
    ...(is_error === true ? exitOf(richer) : {}),
    ...(more === undefined ? {} : { raw: more }),
    ...mediaOf(imagesOf(content)),
    ...nested
  }
}

/** Tool results. The texts among them are prompts: the caller's, a sub-agent's, or the CLI's own to the model. */
export const user = (state: State, line: Wire.User): Step => {
  const nested = parent(line.parent_tool_use_id)
  const { content } = line.message
  const parts = Predicate.isString(content) ? [{ type: "text", text: content }] : content
  const events = parts.flatMap((part): ReadonlyArray<AgentEvent> => {
    if (Predicate.hasProperty(part, "type") && (part.type === "text" || part.type === "image")) {
      const isOurs = line.isSynthetic === true && line.parent_tool_use_id == null
      return isOurs ? [{ type: "notice", kind: "info", message: `The CLI told the model: ${textOf([part])}` }] : []
    }
    const richer = parts.length === 1 ? line.tool_use_result : undefined
    return [toolOutcome(part, richer, nested) ?? { type: "unknown", raw: part, ...nested }]
  })
  const isInput = line.parent_tool_use_id == null && events.every(({ type }) => type !== "unknown")
  return [isInput ? { ...state, inputs: state.inputs + 1 } : state, events]
}
