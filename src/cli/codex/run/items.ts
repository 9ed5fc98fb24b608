/** `item.*` lines → events: tool calls, plans and warnings (0.169.0). */
import type { AgentEvent } from "../../../contract/AgentEvent.ts"
import { planOf } from "../../toolInputs.ts"
import type * as Wire from "../wire.ts"
import type { State, Step } from "./state.ts"
import { callOf, outcomeOf, toolResult, toolUse, unfinished } from "./tools.ts"

const noMessage = "Codex reports a problem, without a message"

export const toolLine = (state: State, stage: Wire.Stage, item: Exclude<Wire.Item, Wire.Message>): Step => {
  switch (item.type) {
    case "error":
      return [state, [{ type: "notice", kind: "warning", message: item.message || noMessage }]]
    case "todo_list":
      return todo(state, item)
    default:
      state.messages.forget()
      return tool(state, stage, item)
  }
}

const tool = (state: State, stage: Wire.Stage, input: Wire.ToolItem): Step => {
  const isCompleted = stage === "item.completed"
  const isOpen = isCompleted ? state.open.delete(input.id) : state.open.has(input.id)
  const use = isOpen ? [] : [toolUse(input.id, callOf(input))]
  if (!isCompleted) {
    state.open.add(input.id)
    return [state, use]
  }
  const result = toolResult(input.id, outcomeOf(input))
  if (input.status !== "declined") return [state, [...use, result]]
  const { toolName, title } = callOf(input)
  const denials = [...(state.report.permissionDenials ?? []), { toolName, toolId: input.id }]
  const data = { toolName, toolId: input.id }
  const notice: AgentEvent = { type: "notice", kind: "permission_denied", message: `Declined: ${title}`, data }
  return [{ ...state, report: { ...state.report, permissionDenials: denials } }, [...use, notice, result]]
}

/** Makes each state of a plan a call that is over at once: an open tool extends the watchdog's budget. */
const todo = (state: State, { id, items }: Wire.TodoList): Step => {
  const before = state.todos[id] ?? { shown: "", times: 0 }
  const visible = JSON.stringify(items)
  if (visible === before.shown) return [state, []]
  const toolId = before.times === 0 ? id : `${id}.${before.times}`
  const next = { ...state, todos: { ...state.todos, [id]: { shown: visible, times: before.times + 1 } } }
  const entries = items.map(({ text, completed }) => ({
    text: text ?? "",
    status: completed === true ? "completed" : "pending"
  }))
  return [next, todoEvents(toolId, items, entries)]
}

/** A state of the plan, as a call that is over at once. */
export const todoEvents = (
  toolId: string,
  items: Wire.TodoList["items"],
  entries: ReadonlyArray<{ readonly text: string; readonly status: string | null | undefined }>
): ReadonlyArray<AgentEvent> => [
  { type: "tool_use", toolId, toolName: "todo_list", input: { items }, kind: "plan", title: "todo_list" },
  ...planOf(entries, "text", { toolId }),
  { type: "tool_result", toolId, output: "", isError: false }
]

/** Ends open calls, such as a command that is still running at the end of the turn. */
export const closeOpen = ({ open }: State): ReadonlyArray<AgentEvent> => {
  const ids = [...open]
  open.clear()
  return ids.map((toolId) => toolResult(toolId, unfinished))
}
