/** Events of a run ⇄ its actions, whole. Both ways keep ids, kinds, titles and outcomes. */
import type { AgentEvent } from "../../contract/AgentEvent.ts"
import type { ToolUseEvent } from "../../contract/ToolEvent.ts"
import type { Action, AgentAction, Completed, Started } from "./AgentAction.ts"
import { outputText } from "./detail.ts"
import { mostOpen } from "./known.ts"
import { actionStep, noActionsYet } from "./step.ts"

/** Ids of open actions. */
export type OpenIds = ReadonlySet<string>

const nothingOpen: OpenIds = new Set()

export type EventsStep = readonly [OpenIds, ReadonlyArray<AgentEvent>]

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

const folded = <State, In, Out>(
  all: Iterable<In>,
  initial: State,
  step: (state: State, one: In) => readonly [State, ReadonlyArray<Out>]
): ReadonlyArray<Out> => {
  const outputs: Array<Out> = []
  let state = initial
  for (const one of all) {
    const [next, some] = step(state, one)
    state = next
    outputs.push(...some)
  }
  return outputs
}

/** The actions of a run or live session, by all of its events in order. */
export const actionsOf = (events: Iterable<AgentEvent>): ReadonlyArray<AgentAction> =>
  folded(events, noActionsYet, (state, event) => actionStep(state, event))

/** Events that have these actions. What actions do not have is missing: thoughts, whole inputs and outputs. */
export const eventsOfActions = (actions: Iterable<AgentAction>): ReadonlyArray<AgentEvent> =>
  folded(actions, nothingOpen, eventStep)
