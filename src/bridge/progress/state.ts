/** Events of one run or turn → what its progress message tells; a pure fold of bounded size. */

import { announcedWaitMs } from "../../agents/engine/announcedWait.ts"
import type { AgentEvent, NoticeEvent, SessionEvent } from "../../contract/AgentEvent.ts"
import type { RunOutcome } from "../../contract/AgentRunResult.ts"
import { shortLine } from "../../contract/text/oneLine.ts"
import type { Completed } from "../actions/AgentAction.ts"
import { type ActionsState, actionStep, noActionsYet } from "../actions/step.ts"
import { type Rows, withAction } from "./rows.ts"

/** For the agent's own account of a wait, in characters. */
const longestMessage = 200

export type Wait =
  /** In ms since 1970. */
  | { readonly type: "rate_limit" | "retry"; readonly since: number; readonly until: number }
  | { readonly type: "queued"; readonly message: string }

export interface Waits {
  readonly wait: Wait | undefined
  /** Titles of what a person is asked, by the ids of the requests. */
  readonly asked: ReadonlyMap<string, string>
  /** For how long nothing was heard; undefined: something was. */
  readonly silentMs: number | undefined
  /** Silences that were told in this run. */
  readonly silences: number
}

export const noWaits: Waits = { wait: undefined, asked: new Map(), silentMs: undefined, silences: 0 }

/** Of one run. */
const mostSilences = 10

const asking = (waits: Waits, requestId: string, title: string): Waits => ({
  ...waits,
  asked: new Map(waits.asked).set(requestId, title)
})

const answered = (waits: Waits, requestId: string): Waits => {
  const asked = new Map(waits.asked)
  asked.delete(requestId)
  return { ...waits, asked }
}

const stalled = (waits: Waits, { data }: NoticeEvent): Waits => {
  const silentMs = data?.["silentMs"]
  if (waits.asked.size > 0 || waits.silences >= mostSilences || typeof silentMs !== "number") return waits
  return { ...waits, silentMs, silences: waits.silences + 1 }
}

const noticed = (waits: Waits, notice: NoticeEvent, at: number): Waits => {
  if (notice.kind === "stalled") return stalled(waits, notice)
  const heard = { ...waits, silentMs: undefined }
  if (notice.kind === "queued") {
    return { ...heard, wait: { type: "queued", message: shortLine(notice.message, longestMessage) } }
  }
  if (notice.kind !== "retry" && notice.kind !== "rate_limit") return heard
  const waitMs = announcedWaitMs(notice, at)
  return waitMs === undefined ? heard : { ...heard, wait: { type: notice.kind, since: at, until: at + waitMs } }
}

/** Whatever the agent does ends its wait. */
export const waitsAfter = (before: Waits, event: AgentEvent, at: number): Waits => {
  if (event.type === "notice") return noticed(before, event, at)
  const isSame = before.wait === undefined && before.silentMs === undefined
  const waits = isSame ? before : { ...before, wait: undefined, silentMs: undefined }
  switch (event.type) {
    case "permission_request":
      return asking(waits, event.requestId, shortLine(event.title, longestMessage))
    case "question":
      return asking(waits, event.requestId, shortLine(event.questions[0]?.question ?? "", longestMessage))
    case "permission_decision":
    case "question_answer":
      return answered(waits, event.requestId)
    default:
      return waits
  }
}

export interface ProgressBeginning {
  /** For people. */
  readonly cli: string
  readonly model?: string | undefined
  readonly workingDirectory?: string | undefined
  /** In ms since 1970. */
  readonly at: number
}

export interface ProgressEnd {
  /** `interrupted`: a host that is gone had begun it; nothing was run now. */
  readonly outcome: RunOutcome | "interrupted"
  /** Why it failed, in a word or two. */
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
  /** The end of what the main agent said. */
  readonly text: string
  readonly end: ProgressEnd | undefined
}

/** In characters. More than is shown: a CLI can take back what it said last. */
const keptText = 4_000

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

/** The run is over; where no event told so, it failed. */
export const endProgress = (progress: Progress, at: number): Progress => ({
  ...progress,
  end: progress.end ?? { outcome: "failed", cause: undefined, durationMs: at - progress.startedAt, costUsd: undefined }
})

/** After the end nothing changes. `at`: the time of the event, in ms since 1970. */
export const progressStep = (before: Progress, event: AgentEvent, at: number): Progress => {
  if (before.end !== undefined) return before
  const [actions, happened] = actionStep(before.actions, event, at)
  let progress: Progress = { ...before, ...waitsAfter(before, event, at), actions }
  for (const one of happened) {
    if (one.type === "completed") progress = { ...progress, end: endOf(progress, one, at) }
    if (one.type !== "action") continue
    const steps = progress.steps + (one.phase === "started" ? 1 : 0)
    progress = { ...progress, steps, rows: withAction(progress.rows, actions, one) }
  }
  if (event.type === "session") return withSession(progress, event)
  if (event.parentToolId !== undefined) return progress
  if (event.type === "text") return { ...progress, text: keptEnd(progress.text + event.text) }
  if (event.type !== "notice" || event.kind !== "text_voided") return progress
  return {
    ...progress,
    text: progress.text.slice(0, Math.max(0, progress.text.length - (event.data?.characters ?? 0)))
  }
}

const withSession = (progress: Progress, event: SessionEvent): Progress =>
  event.parentToolId !== undefined
    ? progress
    : {
        ...progress,
        model: event.model ?? progress.model,
        workingDirectory: event.workingDirectory ?? progress.workingDirectory
      }

/** Cut rarely, so that a long answer is not copied with each word. */
const keptEnd = (text: string) => (text.length > 2 * keptText ? text.slice(-keptText) : text)
