/** Lines of Claude Code that neither belong to the answer nor end the run → notices (2.1.328). */
import type { AgentEvent, NoticeKind, SessionEvent } from "../../../contract/AgentEvent.ts"
import { isoTime } from "../../../contract/text/amounts.ts"
import { entryOf, present } from "../../jsonFields.ts"
import type { BackgroundTask, RateLimitInfo, RunResult, Wire } from "../wire.ts"

type Data = Readonly<Record<string, unknown>>

/** Fields without a value are left out. */
const notice = (kind: NoticeKind, message: string, data: Data = {}): AgentEvent => {
  const fields = present(data)
  return { type: "notice", kind, message, ...(Object.keys(fields).length === 0 ? {} : { data: fields }) }
}

export const voidedNotice = (characters: number): ReadonlyArray<AgentEvent> =>
  characters === 0
    ? []
    : [notice("text_voided", `The CLI withdrew the last ${characters} characters of its answer`, { characters })]

/** Servers that cannot be used, once for each status. */
export const mcpNotices = (session: SessionEvent, before: SessionEvent | undefined): ReadonlyArray<AgentEvent> =>
  (session.mcpServers ?? [])
    .filter(({ name, status }) => {
      const wasReported = before?.mcpServers?.some((server) => server.name === name && server.status === status)
      return status !== "connected" && status !== "disabled" && wasReported !== true
    })
    .map(({ name, status }) => notice("mcp_failed", `MCP server "${name}" ${mcpWords(status)}`, { name, status }))

/** The CLI's words for the status of a server, in a sentence. */
const mcpStatus: Readonly<Record<string, string>> = {
  failed: "could not be started or reached",
  "needs-auth": "needs authentication"
}

const mcpWords = (status: string) => entryOf(mcpStatus, status) ?? `is ${status.replaceAll(/[-_]/g, " ")}`

/** For a resumed session an older version reports no other cost, and only the main thread's tokens. */
export const sessionCostNotice = ({ total_cost_usd, cost_usd }: RunResult): AgentEvent =>
  notice(
    "info",
    "This version of Claude Code reports only the cost of the whole session; the cost of this run is not known, and its sub-agents' tokens are not counted",
    { sessionCostUsd: total_cost_usd ?? cost_usd }
  )

/** Assumed wait where Claude Code names no end of a limit. */
const unknownLimitMs = 60_000

export const resetTime = (info: RateLimitInfo | null | undefined): string | undefined =>
  info?.resetsAt == null ? undefined : isoTime(info.resetsAt * 1000)

/** The end of a limit that refuses requests. */
export const limitEnd = (info: RateLimitInfo | null | undefined): string | undefined =>
  info?.status === "rejected" ? resetTime(info) : undefined

/** A limit that still lets requests through (`allowed`, `allowed_warning`) causes no wait. */
const waitOf = (info: RateLimitInfo | null | undefined): Data => {
  if (info?.status == null || info.status.startsWith("allowed")) return {}
  return info.resetsAt == null ? { delayMs: unknownLimitMs } : { waitUntilMs: info.resetsAt * 1000 }
}

export const rateLimitNotice = (info: RateLimitInfo | null | undefined): ReadonlyArray<AgentEvent> => {
  const window = info?.rateLimitType?.replaceAll("_", " ")
  const at = resetTime(info)
  const resets = at === undefined ? "" : `, resets ${at}`
  const message = `Rate limit${window === undefined ? "" : ` (${window})`}: ${info?.status ?? "unknown"}${resets}`
  return [
    notice("rate_limit", message, {
      status: info?.status,
      window: info?.rateLimitType,
      utilization: info?.utilization,
      resetsAtMs: info?.resetsAt == null ? undefined : info.resetsAt * 1000,
      ...waitOf(info)
    })
  ]
}

export const backgroundNotices = (
  before: ReadonlyArray<BackgroundTask>,
  after: ReadonlyArray<BackgroundTask>
): ReadonlyArray<AgentEvent> =>
  after
    .filter((task) => !before.some((old) => old.task_id === task.task_id))
    .map((task) =>
      notice("progress", `In the background: ${task.description ?? task.task_id}`, {
        taskId: task.task_id,
        taskType: task.task_type
      })
    )

/** Denials that only the result lists, such as a hook's. */
export const unannouncedDenials = (line: RunResult, denied: ReadonlySet<string>): ReadonlyArray<AgentEvent> =>
  (line.permission_denials ?? [])
    .filter((denial) => !denied.has(denial.tool_use_id ?? ""))
    .map((denial) =>
      notice("permission_denied", `${denial.tool_name ?? "A tool"} was denied`, {
        toolName: denial.tool_name,
        toolId: denial.tool_use_id
      })
    )

export const noticeOf = (line: Wire): ReadonlyArray<AgentEvent> => {
  if (line.type === "tool_progress") {
    const seconds = line.elapsed_time_seconds ?? 0
    return [
      notice("progress", `${line.tool_name ?? "A tool"} has been running for ${seconds} s`, {
        toolId: line.parent_tool_use_id,
        elapsedMs: seconds * 1000
      })
    ]
  }
  if (line.type !== "system") return []
  switch (line.subtype) {
    case "api_retry": {
      const wait = line.retry_delay_ms == null ? "" : ` in ${Math.round(line.retry_delay_ms / 100) / 10} s`
      const why =
        line.error_status == null ? (line.error ?? "no answer") : `${line.error_status} ${line.error ?? ""}`.trim()
      return [
        notice("retry", `Attempt ${line.attempt ?? "?"} of ${line.max_retries ?? "?"}${wait}: ${why}`, {
          attempt: line.attempt,
          maxRetries: line.max_retries,
          delayMs: line.retry_delay_ms,
          status: line.error_status,
          error: line.error
        })
      ]
    }
    case "model_fallback":
      return [
        notice("model_fallback", line.content ?? `Switched to ${line.fallback_model ?? "another model"}`, {
          from: line.original_model,
          to: line.fallback_model,
          trigger: line.trigger
        })
      ]
    case "permission_denied":
      return [
        notice("permission_denied", line.message ?? `${line.tool_name ?? "A tool"} was denied`, {
          toolName: line.tool_name,
          toolId: line.tool_use_id,
          agentId: line.agent_id
        })
      ]
    case "informational":
      return line.content ? [notice(line.level === "warning" ? "warning" : "info", line.content)] : []
    case "model_refusal_no_fallback":
      return [notice("warning", line.content || "The model refused to answer")]
    case "task_notification":
      return line.summary == null || line.output_file === "" || line.output_file == null
        ? []
        : [
            notice("progress", `Task ${line.status ?? "ended"}: ${line.summary}`, {
              taskId: line.task_id,
              toolId: line.tool_use_id
            })
          ]
    case "compact_boundary":
      return [
        notice("info", "The conversation was compacted", {
          tokensBefore: line.compact_metadata?.pre_tokens,
          tokensAfter: line.compact_metadata?.post_tokens
        })
      ]
    default:
      return []
  }
}
