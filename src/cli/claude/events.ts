/** Wire line → agent events: a step over a small state (2.1.328), by type of line, and the turns of the run. */
import { Predicate } from "effect"
import type { AgentEvent, SessionEvent } from "../../contract/AgentEvent.ts"
import type { LineSession, RunReport, Standing } from "../Decoder.ts"
import { present } from "../jsonFields.ts"
import { ended, listed, turnBegan } from "./run/background.ts"
import { assistant, streamEvent, user } from "./run/content.ts"
import {
  backgroundNotices,
  limitEnd,
  mcpNotices,
  noticeOf,
  rateLimitNotice,
  sessionCostNotice,
  unannouncedDenials
} from "./run/notices.ts"
import { addResult, verdictOf } from "./run/result.ts"
import { hasNothingLeft, lacksResult, type State, type Step, usageEvents } from "./run/state.ts"
import type * as Wire from "./wire.ts"

const init = (state: State, line: Wire.Init): Step => {
  const session: SessionEvent = {
    type: "session",
    sessionId: line.session_id,
    ...present({ model: line.model, tools: line.tools, mcpServers: line.mcp_servers, workingDirectory: line.cwd }),
    ...present({ cliVersion: line.claude_code_version, permissionMode: line.permissionMode }),
    ...present({ outputStyle: line.output_style, authSource: line.apiKeySource })
  }
  const sessionJson = JSON.stringify(session)
  const report = { ...state.report, sessionId: line.session_id }
  // A repetition in mid-turn starts no turn.
  const isTurn = state.results >= state.inits || state.background.unreported > 0
  return [
    {
      ...state,
      session,
      sessionJson,
      report,
      inits: state.inits + (isTurn ? 1 : 0),
      background: turnBegan(state.background),
      model: line.model ?? state.model
    },
    sessionJson === state.sessionJson ? [] : [session, ...mcpNotices(session, state.session)]
  ]
}

/** `init` names the session. A failed run can invent an id (2.1.328: `--resume` of an unknown title). */
const withSession = (report: RunReport, sessionId: string | null | undefined): RunReport =>
  report.sessionId !== undefined || sessionId == null ? report : { ...report, sessionId }

const result = (state: State, line: Wire.RunResult): Step => {
  const share = state.totals.share(line)
  const report = addResult({ ...state, answers: state.answers.sum() }, line, share)
  state.answers.forget()
  const verdict = verdictOf(line, state.apiError)
  const missing = verdict._tag === "Success" && state.streams.textLength() === 0 ? (line.result ?? "") : ""
  state.streams.addText(missing)
  const next: State = {
    ...state,
    report: verdict._tag === "Success" ? withSession(report, line.session_id) : report,
    verdict,
    results: state.results + 1,
    inputs: 0,
    stopReason: undefined,
    isApart: true,
    apiError: undefined
  }
  const isLast = hasNothingLeft(next) && (line.queued_turn_count ?? 0) === 0
  const text: ReadonlyArray<AgentEvent> = missing === "" ? [] : [{ type: "text", text: missing }]
  const [last, usage] = usageEvents({ ...next, isLast })
  const cost = share.isCostUnknown ? [sessionCostNotice(line)] : []
  return [last, [...unannouncedDenials(line, state.denied), ...text, ...cost, ...usage]]
}

/** Signs that the model is asked again. */
const continuing: ReadonlySet<string> = new Set(["init", "api_retry", "model_fallback", "thinking_tokens"])

/** Whether the turn goes on after an answer that seemed to be its last. */
const continues = ({ messageId }: State, line: Wire.Wire): boolean => {
  switch (line.type) {
    case "delta":
    case "stream_event":
    case "result":
      return true
    case "assistant":
      return line.parent_tool_use_id == null && line.message.id !== messageId
    case "user":
      return line.parent_tool_use_id == null
    case "system":
      return line.subtype === "status" ? line.status != null : continuing.has(line.subtype)
    default:
      return false
  }
}

export const step = (before: State, line: Wire.Wire, raw: unknown): Step => {
  const state = before.isAnswered && continues(before, line) ? { ...before, isAnswered: false } : before
  switch (line.type) {
    case "delta": {
      const { kind, text, index, messageId = state.messageId } = line
      return [state, kind === undefined ? [] : state.streams.add(kind, text, index, messageId)]
    }
    case "stream_event": {
      const { event, api_message_id: id } = line
      const isDelta = event.type === "content_block_delta" || event.type === "content_block_start"
      return isDelta ? [state, state.streams.delta(event, id ?? state.messageId)] : streamEvent(state, line, raw)
    }
    case "assistant":
      return assistant(state, line)
    case "user":
      return user(state, line)
    case "result":
      return result(state, line)
    case "rate_limit_event":
      return [{ ...state, limitEnds: limitEnd(line.rate_limit_info) }, rateLimitNotice(line.rate_limit_info)]
    case "system":
      return system(state, line)
    default:
      return [state, noticeOf(line)]
  }
}

/** A changed fact is reported together with all the others. */
const modeChanged = (state: State, permissionMode: string | null | undefined): Step => {
  const { session: before } = state
  if (permissionMode == null || before === undefined || before.permissionMode === permissionMode) return [state, []]
  const session: SessionEvent = { ...before, permissionMode }
  return [{ ...state, session, sessionJson: JSON.stringify(session) }, [session]]
}

const system = (state: State, line: Wire.SystemLine): Step => {
  switch (line.subtype) {
    case "init":
      return init(state, line)
    case "hook_started":
      state.hooks.add(line.hook_id ?? "")
      return [state, []]
    case "hook_response":
      state.hooks.delete(line.hook_id ?? "")
      return [state, []]
    case "status":
      return modeChanged(state, line.permissionMode)
    case "background_tasks_changed":
      return [
        { ...state, background: listed(state.background, line.tasks) },
        backgroundNotices(state.background.tasks, line.tasks)
      ]
    case "task_notification":
      return [{ ...state, background: ended(state.background, line.task_id, line.status) }, noticeOf(line)]
    case "permission_denied":
      state.denied.add(line.tool_use_id ?? "")
      return [state, noticeOf(line)]
    default:
      return [state, noticeOf(line)]
  }
}

export const standing = (state: State): Standing => {
  if (state.background.tasks.length > 0) return "background"
  if (state.results === 0 || state.results < state.inits) return lacksResult(state) ? "answered" : "working"
  return state.isLast ? "ended" : "resting"
}

const spoken: ReadonlySet<unknown> = new Set(["assistant", "user", "stream_event"])

/** Only lines of the conversation count: output of hooks before `init` has another id, and a failed run invents one (2.1.330). */
export const lineSession = (line: unknown): LineSession | undefined => {
  if (!Predicate.isObject(line)) return undefined
  const { type, subtype, session_id, parent_tool_use_id, is_error } = line as Readonly<Record<string, unknown>> // any keys
  // `/clear`: the lines of the next turn have another id, which is not in this line.
  if (type === "conversation_reset") return { mayChange: true }
  if (typeof session_id !== "string" || parent_tool_use_id != null) return undefined
  const isInit = type === "system" && subtype === "init"
  const isSuccess = type === "result" && is_error === false
  return isInit || isSuccess || spoken.has(type) ? { sessionId: session_id } : undefined
}
