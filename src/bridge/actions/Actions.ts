/** Events of a run ⇄ its actions, whole. Both ways keep ids, kinds, titles and outcomes. */
import { Array as Arr } from "effect"
import type { AgentEvent } from "../../contract/AgentEvent.ts"
import type { ToolUseEvent } from "../../contract/ToolEvent.ts"
import type { Action, AgentAction, Completed, Started } from "./AgentAction.ts"
import { outputText } from "./detail.ts"
import { actionStep, mostOpen, noActionsYet } from "./step.ts"

type OpenIds = ReadonlySet<string>

const nothingOpen: OpenIds = new Set()

type EventsStep = readonly [OpenIds, ReadonlyArray<AgentEvent>]

const eventStep = (open: OpenIds, action: AgentAction): EventsStep => {
  switch (action.type) {
    case "started":
      return [open, [sessionOf(action)]]
    case "action":
      return action.phase === "completed" ? completed(open, action) : [withId(open, action.id), [toolUseOf(action)]]
    case "completed":
      return [nothingOpen, endOf(action)]
  }
}

const withId = (open: OpenIds, id: string): OpenIds => {
  const next = new Set(open).add(id)
  const [first = id] = next
  if (next.size > mostOpen) next.delete(first)
  return next
}

const parentOf = ({ parentId }: Started | Action) => (parentId === undefined ? {} : { parentToolId: parentId })

const sessionOf = (started: Started): AgentEvent => {
  const { type: _, parentId: __, ...facts } = started
  return { type: "session", ...facts, ...parentOf(started) }
}

const toolUseOf = (action: Action): ToolUseEvent => ({
  type: "tool_use",
  toolId: action.id,
  toolName: action.toolName,
  kind: action.kind,
  title: action.title,
  input: action.detail?.input ?? {},
  ...parentOf(action)
})

/** Without an outcome it stays open: the end of the run ends it. */
const completed = (open: OpenIds, action: Action): EventsStep => {
  const { id: toolId, ok, detail } = action
  const start = open.has(toolId) ? [] : [toolUseOf(action)]
  if (ok === undefined) return [withId(open, toolId), start]
  const rest = new Set(open)
  rest.delete(toolId)
  const output = detail?.output === undefined ? "" : outputText(detail.output)
  return [rest, [...start, { type: "tool_result", toolId, output, isError: !ok, ...parentOf(action) }]]
}

const endOf = ({ of, result, error }: Completed): ReadonlyArray<AgentEvent> => [
  ...(result.text === "" ? [] : [{ type: "text", text: result.text } as const]),
  ...(error === undefined ? [] : [error]),
  { type: of === "run" ? "done" : "turn_done", result }
]

/** The actions of a run or live session, by all of its events in order. */
export const actionsOf = (events: Iterable<AgentEvent>): ReadonlyArray<AgentAction> =>
  Arr.mapAccum(events, noActionsYet, (state, event) => actionStep(state, event))[1].flat()

/** Events that have these actions. What actions do not have is missing: thoughts, whole inputs and outputs. */
export const eventsOfActions = (actions: Iterable<AgentAction>): ReadonlyArray<AgentEvent> =>
  Arr.mapAccum(actions, nothingOpen, eventStep)[1].flat()
