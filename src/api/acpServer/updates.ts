/**
 * Events → updates for a client; pure, over a small state: the open calls. Permission requests and the end of a turn
 * are not updates. Text stays as it is, for the editor to draw; everything around it is on one line.
 */
import type { AgentEvent, NoticeEvent } from "../../contract/AgentEvent.ts"
import type { PlanEvent, PlanStatus } from "../../contract/ToolEvent.ts"
import { shortLine } from "../../contract/text/harmless.ts"
import { callUpdate, decidedUpdate, nested, planUpdateOf, resultUpdate, type Update } from "./toolCalls.ts"

/** Limit for a session: more calls than any agent has open at once. */
const mostOpenCalls = 1_000

const chunk = (sessionUpdate: string, text: string, parentToolId?: string): Update => ({
  sessionUpdate,
  content: { type: "text", text },
  ...nested(parentToolId)
})

const messageChunk = (text: string): Update => chunk("agent_message_chunk", text)
export const promptChunk = (text: string): Update => chunk("user_message_chunk", text)

const statuses: Readonly<Record<PlanStatus, string>> = {
  pending: "pending",
  in_progress: "in_progress",
  completed: "completed",
  cancelled: "completed",
  blocked: "pending"
}

const planUpdates = ({ entries, text, toolId }: PlanEvent): ReadonlyArray<Update> => {
  const listed: ReadonlyArray<Update> =
    entries === undefined
      ? []
      : [
          {
            sessionUpdate: "plan",
            entries: entries.map((entry) => ({
              content: entry.status === "cancelled" ? `(dropped) ${entry.text}` : entry.text,
              priority: "medium",
              status: statuses[entry.status ?? "pending"]
            }))
          }
        ]
  if (text === undefined) return listed
  return [...listed, toolId === undefined ? messageChunk(`\n\n${text}\n\n`) : planUpdateOf(toolId, text)]
}

const severities: Partial<Record<NoticeEvent["kind"], string>> = { progress: "info", info: "info", queued: "info" }

const noticeUpdates = (event: NoticeEvent, takesNotices: boolean): ReadonlyArray<Update> => {
  const { kind, message, data } = event
  // The protocol cannot take text back: a message says so.
  if (kind === "text_voided" && event.parentToolId === undefined)
    return [messageChunk(`\n\n*The agent took back its last ${data?.characters ?? "few"} characters:*\n\n`)]
  if (!takesNotices) return []
  return [{ sessionUpdate: "notice", severity: severities[kind] ?? "warning", title: shortLine(message, 400) }]
}

/** `takesNotices`: whether the client draws notices. Returns the updates of each event. */
export const makeUpdates = (takesNotices: boolean) => {
  /** Whether it shows changes of files, by the id of each open call. */
  const calls = new Map<string, boolean>()
  const pending = new Map<string, string>()

  const remember = <A>(map: Map<string, A>, key: string, value: A) => {
    map.set(key, value)
    const [oldest] = map.keys()
    if (map.size > mostOpenCalls && oldest !== undefined) map.delete(oldest)
  }

  return (event: AgentEvent): ReadonlyArray<Update> => {
    switch (event.type) {
      case "text":
        // Text of a sub-agent is not part of the answer.
        return event.parentToolId === undefined
          ? [messageChunk(event.text)]
          : [chunk("agent_thought_chunk", event.text, event.parentToolId)]
      case "thinking":
        return [chunk("agent_thought_chunk", event.text, event.parentToolId)]
      case "tool_use": {
        const isKnown = calls.has(event.toolId)
        remember(calls, event.toolId, (event.edits ?? []).length > 0)
        return [callUpdate(event, isKnown)]
      }
      case "tool_result": {
        const showsEdits = calls.get(event.toolId)
        calls.delete(event.toolId)
        // A result without its call is not shown.
        return showsEdits === undefined ? [] : [resultUpdate(event, showsEdits)]
      }
      case "plan":
        return planUpdates(event)
      case "notice":
        return noticeUpdates(event, takesNotices)
      case "permission_request":
        remember(pending, event.requestId, event.toolId)
        return []
      case "permission_decision": {
        const toolId = pending.get(event.requestId)
        pending.delete(event.requestId)
        return toolId !== undefined && event.decision === "allow" && calls.has(toolId) ? [decidedUpdate(toolId)] : []
      }
      default:
        return []
    }
  }
}
