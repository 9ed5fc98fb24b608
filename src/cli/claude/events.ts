/**
 * Wire line → agent events: a step over a small state (2.1.328). What the model says is in `content.ts`, notices
 * are in `notices.ts`; here are the turns of the run and the choice by type.
 */
import type { AgentEvent, SessionEvent } from "../../AgentEvent.ts"
import type { RunReport } from "../Cli.ts"
import { assistant, streamEvent, user } from "./content.ts"
import { backgroundNotices, mcpNotices, noticeOf, rateLimitNotice, unannouncedDenials } from "./notices.ts"
import { addResult, verdictOf } from "./result.ts"
import { hasNothingLeft, type State, type Step } from "./state.ts"
import type * as Wire from "./wire.ts"

const init = (state: State, line: Wire.Init): Step => {
  const session: SessionEvent = {
    type: "session",
    sessionId: line.session_id,
    ...(line.model == null ? {} : { model: line.model }),
    ...(line.tools == null ? {} : { tools: line.tools }),
    ...(line.mcp_servers == null ? {} : { mcpServers: line.mcp_servers }),
    ...(line.cwd == null ? {} : { workingDirectory: line.cwd }),
    ...(line.claude_code_version == null ? {} : { cliVersion: line.claude_code_version }),
    ...(line.permissionMode == null ? {} : { permissionMode: line.permissionMode }),
    ...(line.apiKeySource == null ? {} : { authSource: line.apiKeySource })
  }
  const isNews = JSON.stringify(session) !== JSON.stringify(state.session)
  const report = { ...state.report, sessionId: line.session_id }
  return [
    { ...state, session, report, inits: state.inits + 1, untold: Math.max(0, state.untold - 1) },
    isNews ? [session, ...mcpNotices(session, state.session)] : []
  ]
}

/** `init` names the session. A failed run can make an id up (2.1.328: `--resume` of a title that is unknown). */
const withSession = (report: RunReport, sessionId: string | null | undefined): RunReport =>
  report.sessionId !== undefined || sessionId == null ? report : { ...report, sessionId }

const result = (state: State, line: Wire.RunResult): Step => {
  const report = addResult(state.report, line, state.apiError, state.resumed)
  const verdict = verdictOf(line, state.apiError)
  const untold = verdict._tag === "Success" && state.streams.textLength() === 0 ? (line.result ?? "") : ""
  state.streams.addText(untold)
  const next: State = {
    ...state,
    report: verdict._tag === "Success" ? withSession(report, line.session_id) : report,
    verdict,
    results: state.results + 1,
    apiError: undefined
  }
  const isLast = hasNothingLeft(next) && (line.queued_turn_count ?? 0) === 0
  const text: ReadonlyArray<AgentEvent> = untold === "" ? [] : [{ type: "text", text: untold }]
  return [{ ...next, isLast }, [...unannouncedDenials(line, state.denied), ...text]]
}

export const step = (state: State, line: Wire.Wire, raw: unknown): Step => {
  switch (line.type) {
    case "stream_event":
      return streamEvent(state, line, raw)
    case "assistant":
      return assistant(state, line)
    case "user":
      return user(state, line)
    case "result":
      return result(state, line)
    case "rate_limit_event":
      return [state, rateLimitNotice(line.rate_limit_info)]
    case "system":
      return system(state, line)
    default:
      return [state, noticeOf(line)]
  }
}

/** A changed fact is told with all the others. */
const modeChanged = (state: State, permissionMode: string | null | undefined): Step => {
  if (state.session === undefined || permissionMode == null) return [state, []]
  if (state.session.permissionMode === permissionMode) return [state, []]
  const session: SessionEvent = { ...state.session, permissionMode }
  return [{ ...state, session }, [session]]
}

const system = (state: State, line: Wire.SystemLine): Step => {
  switch (line.subtype) {
    case "init":
      return init(state, line)
    case "status":
      return modeChanged(state, line.permissionMode)
    case "background_tasks_changed":
      return [{ ...state, background: line.tasks }, backgroundNotices(state.background, line.tasks)]
    case "task_notification": {
      const wasBackground = state.background.some((task) => task.task_id === line.task_id)
      const untold = state.untold + (wasBackground && line.status !== "stopped" ? 1 : 0)
      return [{ ...state, untold }, noticeOf(line)]
    }
    case "permission_denied":
      return [{ ...state, denied: new Set([...state.denied, line.tool_use_id ?? ""]) }, noticeOf(line)]
    default:
      return [state, noticeOf(line)]
  }
}
