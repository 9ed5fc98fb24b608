/** Events of a run → its actions: a pure step. What runs when a run or turn ends is completed without an outcome. */
import type { AgentEvent, ErrorEvent, SessionEvent } from "../../contract/AgentEvent.ts"
import type { AgentRunResult } from "../../contract/AgentRunResult.ts"
import type { FileEdit, ToolResultEvent, ToolUseEvent } from "../../contract/ToolEvent.ts"
import { textCopy } from "../../contract/text/jsonLine.ts"
import type { Action, AgentAction, Completed, LineChanges, Started } from "./AgentAction.ts"
import { compactInput, outputOf } from "./detail.ts"
import { toolFacts, unknownTool } from "./tools.ts"

// Changes of files → the lines that they add and remove, about as a diff counts them; pure.

const linesOf = (text: string | undefined): ReadonlyArray<string> =>
  text === undefined || text === "" ? [] : text.replace(/\n$/, "").split("\n")

/** A line that stands on both sides is unchanged, wherever it stands. */
const countOf = ({ before, after }: FileEdit): LineChanges => {
  const removed = new Map<string, number>()
  for (const line of linesOf(before)) removed.set(line, (removed.get(line) ?? 0) + 1)
  let added = 0
  for (const line of linesOf(after)) {
    const count = removed.get(line) ?? 0
    if (count === 0) added += 1
    else removed.set(line, count - 1)
  }
  return { added, removed: [...removed.values()].reduce((sum, count) => sum + count, 0) }
}

/** Undefined where no line changes, or nothing is known of them. */
export const changesOf = (edits: ReadonlyArray<FileEdit> | undefined): LineChanges | undefined => {
  const { added, removed } = (edits ?? [])
    .map(countOf)
    .reduce((sum, one) => ({ added: sum.added + one.added, removed: sum.removed + one.removed }), {
      added: 0,
      removed: 0
    })
  return added + removed === 0 ? undefined : { added, removed }
}

export interface ActionsState extends KnownActions {
  /** Why the run or turn fails that is about to end. */
  readonly error: ErrorEvent | undefined
}

export const noActionsYet: ActionsState = { open: new Map(), ended: new Map(), error: undefined }

export type ActionsStep = readonly [ActionsState, ReadonlyArray<AgentAction>]

/** `at`: the time of the event, in ms; without it no action has times. */
export const actionStep = (state: ActionsState, event: AgentEvent, at?: number): ActionsStep => {
  switch (event.type) {
    case "session":
      return [state, [startedOf(event)]]
    case "tool_use":
      return toolUse(state, event, at)
    case "tool_result":
      return toolResult(state, event, at)
    case "error":
      return endOpen({ ...state, error: event }, at)
    case "turn_done":
      return completed(state, "turn", event.result, at)
    case "done":
      return completed(state, "run", event.result, at)
    default:
      return [state, []]
  }
}

const parentOf = (id: string | undefined) => (id === undefined ? {} : { parentId: id })

const startedOf = ({ sessionId, model, workingDirectory, cliVersion, parentToolId }: SessionEvent): Started => ({
  type: "started",
  sessionId,
  ...(model === undefined ? {} : { model }),
  ...(workingDirectory === undefined ? {} : { workingDirectory }),
  ...(cliVersion === undefined ? {} : { cliVersion }),
  ...parentOf(parentToolId)
})

const toolUse = (state: ActionsState, event: ToolUseEvent, at: number | undefined): ActionsStep => {
  const before = state.open.get(event.toolId)
  const startedAt = before?.startedAt ?? at
  const changes = changesOf(event.edits)
  const { title, ...facts } = toolFacts(event)
  const action: Action = {
    type: "action",
    phase: before === undefined ? "started" : "updated",
    id: event.toolId,
    ...facts,
    title: textCopy(title),
    ...parentOf(event.parentToolId),
    ...(event.input === undefined ? {} : { detail: { input: compactInput(event.input) } }),
    ...(changes === undefined ? {} : { changes }),
    ...(startedAt === undefined ? {} : { startedAt })
  }
  return [{ ...state, ...opened(used(state, event.parentToolId), action) }, [action]]
}

const durationOf = ({ startedAt }: Action, at: number | undefined) =>
  startedAt === undefined || at === undefined ? {} : { durationMs: Math.max(0, at - startedAt) }

const toolResult = (state: ActionsState, event: ToolResultEvent, at: number | undefined): ActionsStep => {
  const before: Action = findAction(state, event.toolId) ?? {
    type: "action",
    phase: "started",
    id: event.toolId,
    ...unknownTool,
    ...parentOf(event.parentToolId)
  }
  const changes = before.changes ?? changesOf(event.edits)
  const action: Action = {
    ...before,
    ...(before.parentId === undefined ? parentOf(event.parentToolId) : {}),
    phase: "completed",
    ok: !event.isError,
    detail: { ...before.detail, output: outputOf(event.output) },
    ...(changes === undefined ? {} : { changes }),
    ...durationOf(before, at)
  }
  return [{ ...state, ...closed(state, action) }, [action]]
}

const endOpen = (state: ActionsState, at: number | undefined): ActionsStep => {
  const unended = [...state.open.values()].map(
    (action): Action => ({ ...action, phase: "completed", ...durationOf(action, at) })
  )
  return [{ ...state, ...unended.reduce(closed, state) }, unended]
}

const completed = (
  state: ActionsState,
  of: Completed["of"],
  result: AgentRunResult,
  at: number | undefined
): ActionsStep => {
  const [after, unended] = endOpen(state, at)
  const { error } = state
  const ok = result.outcome === "completed"
  const end: Completed = { type: "completed", of, ok, result, ...(error === undefined ? {} : { error }) }
  return [{ ...after, error: undefined }, [...unended, end]]
}

/** Far more than run at once. */
export const mostOpen = 200

/** Sub-agents among them: what they do can come after they ended. */
const mostEnded = 500

type Known = ReadonlyMap<string, Action>

export interface KnownActions {
  /** In the order of their start. */
  readonly open: Known
  /** Least recently used is evicted first. */
  readonly ended: Known
}

const without = (known: Known, id: string): Known => {
  if (!known.has(id)) return known
  const next = new Map(known)
  next.delete(id)
  return next
}

const withLast = (known: Known, action: Action): Map<string, Action> => {
  const next = new Map(known)
  next.delete(action.id)
  return next.set(action.id, action)
}

const dropFirst = (known: Map<string, Action>, most: number): Action | undefined => {
  const [first] = known.values()
  if (known.size <= most || first === undefined) return undefined
  known.delete(first.id)
  return first
}

const addEnded = (ended: Known, action: Action): Known => {
  // Input and output are large, and no longer needed.
  const { detail: _, ...rest } = action
  const next = withLast(ended, rest)
  dropFirst(next, mostEnded)
  return next
}

export const findAction = ({ open, ended }: KnownActions, id: string): Action | undefined =>
  open.get(id) ?? ended.get(id)

/** A new one, or news of one that is open. */
const opened = ({ open, ended }: KnownActions, action: Action): KnownActions => {
  const next = new Map(open).set(action.id, action)
  const evicted = dropFirst(next, mostOpen)
  const rest = without(ended, action.id)
  return { open: next, ended: evicted === undefined ? rest : addEnded(rest, evicted) }
}

const closed = ({ open, ended }: KnownActions, action: Action): KnownActions => ({
  open: without(open, action.id),
  ended: addEnded(ended, action)
})

/** An action that others belong to is remembered longer. */
const used = (known: KnownActions, id: string | undefined): KnownActions => {
  const action = id === undefined ? undefined : known.ended.get(id)
  return action === undefined ? known : { ...known, ended: withLast(known.ended, action) }
}
