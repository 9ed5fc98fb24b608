/** Events of one run or turn → the state of its progress message; a pure fold of bounded size. */
import { announcedWaitMs } from "../../agents/engine/watchdog.ts"
import type { AgentEvent, NoticeEvent, SessionEvent } from "../../contract/AgentEvent.ts"
import type { RunOutcome } from "../../contract/AgentRunResult.ts"
import { shortLine } from "../../contract/text/harmless.ts"
import type { Action, Completed } from "../actions/AgentAction.ts"
import { type ActionsState, actionStep, findAction, type KnownActions, noActionsYet } from "../actions/step.ts"

export interface ProgressBeginning {
  /** Name of the agent, for people. */
  readonly cli: string
  readonly model?: string | undefined
  readonly workingDirectory?: string | undefined
  /** In ms since 1970. */
  readonly at: number
}

export interface ProgressEnd {
  /** `interrupted`: started by a host that has died; nothing was run now. */
  readonly outcome: RunOutcome | "interrupted"
  /** The reason of a failure, in a word or two. */
  readonly cause: string | undefined
  readonly durationMs: number
  readonly costUsd: number | undefined
}

export interface Progress extends Waits {
  readonly cli: string
  readonly model: string | undefined
  readonly workingDirectory: string | undefined
  readonly startedAt: number
  readonly actions: ActionsState
  readonly rows: Rows
  /** Actions so far, those of sub-agents included. */
  readonly steps: number
  /** The end of the main agent's text. */
  readonly text: string
  /** Its stop was requested. */
  readonly isStopping: boolean
  readonly end: ProgressEnd | undefined
}

/** In characters. More than is shown: a CLI may retract its last text. */
const longestText = 4_000

export const beginProgress = ({ cli, model, workingDirectory, at }: ProgressBeginning): Progress => ({
  ...noWaits,
  cli,
  model,
  workingDirectory,
  startedAt: at,
  actions: noActionsYet,
  rows: [],
  steps: 0,
  text: "",
  isStopping: false,
  end: undefined
})

const endOf = ({ startedAt }: Progress, { result, error }: Completed, at: number): ProgressEnd => {
  const cause = result.reason === "agent_failed" ? error?.category : result.reason
  const outcome = result.reason === "turn_interrupted" ? "interrupted" : result.outcome
  return {
    outcome,
    cause: outcome === "failed" ? cause?.replaceAll("_", " ") : undefined,
    durationMs: result.durationMs > 0 ? result.durationMs : at - startedAt,
    costUsd: result.totalCostUsd
  }
}

/** Ends a run, as failed if no event ended it. */
export const endProgress = (progress: Progress, at: number): Progress => ({
  ...progress,
  end: progress.end ?? { outcome: "failed", cause: undefined, durationMs: at - progress.startedAt, costUsd: undefined }
})

/** Nothing changes after the end. `at`: the time of the event, in ms since 1970. */
export const progressStep = (before: Progress, event: AgentEvent, at: number): Progress => {
  if (before.end !== undefined) return before
  const [actions, changes] = actionStep(before.actions, event, at)
  let progress: Progress = { ...before, ...waitsAfter(before, event, at), actions }
  for (const one of changes) {
    if (one.type === "completed") progress = { ...progress, end: endOf(progress, one, at) }
    if (one.type !== "action") continue
    const steps = progress.steps + (one.phase === "started" ? 1 : 0)
    progress = { ...progress, steps, rows: withAction(progress.rows, actions, one) }
  }
  if (event.type === "session") return withSession(progress, event)
  if (event.parentToolId !== undefined) return progress
  if (event.type === "text") return { ...progress, text: endOfText(progress.text + event.text) }
  if (event.type !== "notice" || event.kind !== "text_voided") return progress
  const characters = event.data?.characters ?? 0
  return { ...progress, text: progress.text.slice(0, Math.max(0, progress.text.length - characters)) }
}

const withSession = (progress: Progress, event: SessionEvent): Progress => {
  if (event.parentToolId !== undefined) return progress
  const { model = progress.model, workingDirectory = progress.workingDirectory } = event
  return { ...progress, model, workingDirectory }
}

/** Cuts rarely, so that a long answer is not copied with each word. */
const endOfText = (text: string) => (text.length > 2 * longestText ? text.slice(-longestText) : text)

/** Longest message about a wait, in characters. */
const longestMessage = 200

type Wait =
  /** In ms since 1970. */
  | { readonly type: "rate_limit" | "retry"; readonly since: number; readonly until: number }
  | { readonly type: "queued"; readonly message: string }

interface Waits {
  readonly wait: Wait | undefined
  /** Titles of open requests to people, by request id. */
  readonly openRequests: ReadonlyMap<string, string>
  /** Duration of the present silence of the agent; undefined after any activity. */
  readonly silentMs: number | undefined
  readonly silences: number
}

const noWaits: Waits = { wait: undefined, openRequests: new Map(), silentMs: undefined, silences: 0 }

const mostSilences = 10

const withRequest = (waits: Waits, requestId: string, title: string): Waits => ({
  ...waits,
  openRequests: new Map(waits.openRequests).set(requestId, title)
})

const withoutRequest = (waits: Waits, requestId: string): Waits => {
  const openRequests = new Map(waits.openRequests)
  openRequests.delete(requestId)
  return { ...waits, openRequests }
}

const afterStall = (waits: Waits, { data }: NoticeEvent): Waits => {
  const silentMs = data?.["silentMs"]
  if (waits.openRequests.size > 0 || waits.silences >= mostSilences || typeof silentMs !== "number") return waits
  return { ...waits, silentMs, silences: waits.silences + 1 }
}

const afterNotice = (waits: Waits, notice: NoticeEvent, at: number): Waits => {
  if (notice.kind === "stalled") return afterStall(waits, notice)
  const active = { ...waits, silentMs: undefined }
  if (notice.kind === "queued") {
    return { ...active, wait: { type: "queued", message: shortLine(notice.message, longestMessage) } }
  }
  if (notice.kind !== "retry" && notice.kind !== "rate_limit") return active
  const waitMs = announcedWaitMs(notice, at)
  return waitMs === undefined ? active : { ...active, wait: { type: notice.kind, since: at, until: at + waitMs } }
}

/** Any activity of the agent ends its wait. */
const waitsAfter = (before: Waits, event: AgentEvent, at: number): Waits => {
  if (event.type === "notice") return afterNotice(before, event, at)
  const isSame = before.wait === undefined && before.silentMs === undefined
  const waits = isSame ? before : { ...before, wait: undefined, silentMs: undefined }
  switch (event.type) {
    case "permission_request":
      return withRequest(waits, event.requestId, shortLine(event.title, longestMessage))
    case "question":
      return withRequest(waits, event.requestId, shortLine(event.questions[0]?.question ?? "", longestMessage))
    case "permission_decision":
    case "question_answer":
      return withoutRequest(waits, event.requestId)
    default:
      return waits
  }
}

/** One action of the main agent, and the newest action of its sub-agent. */
export interface Row {
  readonly action: Action
  /** At any depth of sub-agents. */
  readonly inner: Action | undefined
}

export type Rows = ReadonlyArray<Row>

/** More than are shown. Finished actions are evicted before running ones. */
const mostRows = 20

const isOpen = ({ action }: Row) => action.phase !== "completed"

/** The main agent's action that an action belongs to; the action itself if that is unknown. */
const topOf = (known: KnownActions, action: Action): Action => {
  const visited = new Set<string>([action.id])
  let top = action
  for (;;) {
    const parent = top.parentId === undefined ? undefined : findAction(known, top.parentId)
    if (parent === undefined || visited.has(parent.id)) return top
    visited.add(parent.id)
    top = parent
  }
}

const bounded = (rows: Rows): Rows => {
  if (rows.length <= mostRows) return rows
  const first = rows.findIndex((row) => !isOpen(row))
  return rows.toSpliced(Math.max(0, first), 1)
}

/** An update of an older sub-agent action does not replace a newer one. */
const innerOf = ({ inner }: Row, action: Action) =>
  inner === undefined || action.phase === "started" || inner.id === action.id ? action : inner

const withAction = (rows: Rows, known: KnownActions, action: Action): Rows => {
  const top = topOf(known, action)
  const at = rows.findLastIndex((row) => row.action.id === top.id)
  const before = rows[at]
  const isNew = before === undefined || (top === action && action.phase === "started" && !isOpen(before))
  if (isNew) return bounded([...rows, { action: top, inner: top === action ? undefined : action }])
  const row = top === action ? { ...before, action } : { ...before, inner: innerOf(before, action) }
  return rows.with(at, row)
}

/** The newest rows, in order; running ones are preferred. */
export const newest = (rows: Rows, count: number): Rows => {
  const chosen = new Set([...rows.filter((row) => !isOpen(row)), ...rows.filter(isOpen)].slice(-count))
  return rows.filter((row) => chosen.has(row))
}
