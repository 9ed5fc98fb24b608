/** Notifications of `app-server` about the turn under way → events, or undefined for an unknown form (0.169.0). */
import type { AgentEvent } from "../../../contract/AgentEvent.ts"
import { listAt } from "../../jsonFields.ts"
import { retry } from "../events.ts"
import { todoEvents } from "../run/items.ts"
import { isSpawn } from "./items.ts"
import type { Turn } from "./turn.ts"
import type { Turns } from "./turns.ts"
import * as Wire from "./wire.ts"

type Events = ReadonlyArray<AgentEvent>
const texts = (item: Wire.Item, name: string) => listAt(item, name).filter((part) => typeof part === "string")

/** Types of items without events of their own. */
const silentTypes: ReadonlySet<string> = new Set([
  "userMessage",
  "hookPrompt",
  "plan",
  "sleep",
  "subAgentActivity",
  "enteredReviewMode",
  "exitedReviewMode"
])

const isSilent = (item: Wire.Item) => silentTypes.has(item.type) && !isSpawn(item)

/** Speech and calls of the session or of a sub-agent. */
type Telling = Pick<Turn, "speech" | "calls">

const reasoned = ({ speech }: Telling, item: Wire.Item): Events => {
  const summaries = texts(item, "summary")
  return speech.completed("thinking", item.id, (summaries.length > 0 ? summaries : texts(item, "content")).join("\n\n"))
}

const completed = (turn: Telling, item: Wire.Item): Events | undefined => {
  switch (item.type) {
    case "agentMessage":
      return turn.speech.completed("text", item.id, typeof item["text"] === "string" ? item["text"] : "")
    case "reasoning":
      return reasoned(turn, item)
    case "contextCompaction":
      return [{ type: "notice", kind: "info", message: "Codex has compacted the context" }]
    case "plan":
      return proposed(item["text"])
    default:
      return isSilent(item) ? [] : turn.calls.completed(item)
  }
}

const started = ({ speech, calls }: Telling, item: Wire.Item): Events | undefined => {
  switch (item.type) {
    case "agentMessage":
    case "reasoning":
    case "contextCompaction":
      return []
    case "userMessage":
      speech.cut()
      speech.forget()
      return []
    default: {
      if (isSilent(item)) return []
      speech.forget()
      return calls.started(item)
    }
  }
}

/** Undefined for any other method. */
export const itemReader = (method: string) => {
  if (method === "item/started") return started
  return method === "item/completed" ? completed : undefined
}

/** Each state of the plan is a call of its own, as in `exec`. */
const planned = ({ turnId, plan }: NonNullable<ReturnType<typeof Wire.readPlan>>, count: number): Events => {
  const items = plan.map(({ step, status }) => ({ text: step ?? "", completed: status === "completed" }))
  const entries = plan.map(({ step, status }) => ({ text: step ?? "", status }))
  return todoEvents(`plan-${turnId}-${count}`, items, entries)
}

/** A plan in prose is an item of its own. */
const proposed = (text: unknown): Events => (typeof text === "string" && text !== "" ? [{ type: "plan", text }] : [])

const warned = (message: string): Events => [{ type: "notice", kind: "warning", message }]

const failedServer = ({ name, status, error }: NonNullable<ReturnType<typeof Wire.readServer>>): Events => {
  if (status !== "failed") return []
  const message = `The MCP server ${name ?? ""} did not start${error == null ? "" : `: ${error}`}`
  return [{ type: "notice", kind: "mcp_failed", message, data: { server: name ?? "" } }]
}

/** A last error comes again with the end of its turn. */
const errorOf = (turns: Turns, { error, willRetry }: NonNullable<ReturnType<typeof Wire.readError>>): Events => {
  if (willRetry !== true) return []
  const voided = turns.current?.speech.retried() ?? []
  const notice = retry(error.message ?? "")
  return [...voided, error.additionalDetails == null ? notice : withDetail(notice, error.additionalDetails)]
}

const withDetail = (notice: AgentEvent, detail: string): AgentEvent =>
  notice.type === "notice" ? { ...notice, message: `${notice.message} (${detail})` } : notice

type Reader = (params: unknown, turns: Turns) => Events | undefined

const orUndefined =
  <A>(read: (params: unknown) => A | undefined, then: (read: A, turns: Turns) => Events | undefined): Reader =>
  (params, turns) => {
    const value = read(params)
    return value === undefined ? undefined : then(value, turns)
  }

export const spoken = (kind: "text" | "thinking", delta: Wire.Delta, { current }: Turns): Events =>
  current?.id === delta.turnId ? current.speech.delta(kind, delta.itemId, delta.delta, delta.summaryIndex ?? 0) : []

const delta = (kind: "text" | "thinking") => orUndefined(Wire.readDelta, (read, turns) => spoken(kind, read, turns))

export const makeTranscript = (): Readonly<Record<string, Reader>> => {
  let plans = 0
  const warning = orUndefined(Wire.readWarning, ({ message }) => warned(message))
  return {
    "item/agentMessage/delta": delta("text"),
    "item/reasoning/summaryTextDelta": delta("thinking"),
    "turn/plan/updated": orUndefined(Wire.readPlan, (plan) => {
      plans += 1
      return planned(plan, plans)
    }),
    "thread/tokenUsage/updated": orUndefined(Wire.readUsage, ({ turnId, tokenUsage }, turns) =>
      turns.use(turnId, tokenUsage.last)
    ),
    "mcpServer/startupStatus/updated": orUndefined(Wire.readServer, failedServer),
    "model/rerouted": orUndefined(Wire.readRerouted, ({ fromModel, toModel }) => [
      {
        type: "notice",
        kind: "model_fallback",
        message: `${toModel ?? "Another model"} takes the place of ${fromModel ?? "the one asked for"}`
      }
    ]),
    error: orUndefined(Wire.readError, (error, turns) => errorOf(turns, error)),
    warning,
    guardianWarning: warning
  }
}
