/**
 * Draws a run for people: a pure step from state, event and time to the text to write. Blocks (text, thinking, lines) are
 * separated by a blank line; the work of a sub-agent is indented under a line with its name.
 */
import type { Action, AgentAction } from "../bridge/actions/AgentAction.ts"
import { actionStep } from "../bridge/actions/step.ts"
import type { AgentEvent, NoticeEvent, SessionEvent } from "../contract/AgentEvent.ts"
import type { PermissionDecisionEvent, PermissionRequestEvent } from "../contract/SessionEvent.ts"
import type { PlanEvent, ToolResultEvent, ToolUseEvent } from "../contract/ToolEvent.ts"
import { harmless } from "../contract/text/harmless.ts"
import { answerLines, decisionLine, questionLines, requestLines } from "./askLines.ts"
import {
  closeText,
  type Drawn,
  decidedAt,
  depthOf,
  labelIn,
  lines,
  markdown,
  paragraph,
  type Scene,
  startWait,
  type Transcript,
  waitedFor
} from "./blocks.ts"
import { diffRows } from "./diffRows.ts"
import { doneLines, errorLines, noticeLine, sessionRows, usageText } from "./eventLines.ts"
import { clip, oneLine } from "./format.ts"
import * as Page from "./page.ts"
import { planLines, planProgress, stepsOf } from "./planLines.ts"
import { paint, roomOf } from "./style.ts"
import { endedTool, unendedTool } from "./toolLines.ts"

/** Not shown among the lines, or the answer itself. */
const isBeside = (event: AgentEvent): boolean =>
  event.type === "usage" ||
  event.type === "unknown" ||
  (event.type === "text" && event.parentToolId === undefined) ||
  (event.type === "notice" && event.kind === "progress")

export const draw = (before: Transcript, event: AgentEvent, scene: Scene): Drawn => {
  const [closed, answer] = isBeside(event) ? [before, ""] : closeText(before, scene)
  const [after, text] = drawEvent(closed, event, scene)
  return [after, answer + text]
}

const drawEvent = (before: Transcript, event: AgentEvent, scene: Scene): Drawn => {
  const [actions, happened] = actionStep(before.actions, event, scene.now)
  const waitsUntil = isBeside(event) && event.type !== "text" ? before.waitsUntil : undefined
  const transcript = { ...before, actions, waitsUntil, lastEventAt: scene.now }
  switch (event.type) {
    case "session":
      return session(transcript, event, scene)
    case "text":
    case "thinking":
      return text(transcript, event, scene)
    case "tool_use":
      return toolStarted(withEdits(transcript, event), scene)
    case "tool_result":
      return toolEnded(transcript, happened, event, scene)
    case "plan":
      return planned(transcript, event, scene)
    case "notice":
      return notice(transcript, event, scene)
    case "usage":
      // Only in the status; the last line has the sum.
      return [{ ...transcript, progress: usageText(event.usage, event.totalCostUsd) }, ""]
    case "unknown":
      return unknown(transcript)
    case "error": {
      const [ended, toolsText] = unendedTools(transcript, happened, scene)
      // The last line reports it; stopping a run on purpose is not an error.
      if (event.category === "aborted") return [ended, toolsText]
      const [after, errorText] = paragraph(ended, errorLines(scene.surface, event))
      return [after, toolsText + errorText]
    }
    case "permission_request":
      return requested(transcript, event, scene)
    case "permission_decision":
      return decided(transcript, event, scene)
    case "question":
      return paragraph(transcript, questionLines(scene.surface, event))
    case "question_answer":
      return lines(transcript, scene, event.parentToolId, answerLines(scene.surface, event))
    case "turn_done": {
      const [after, rows] = ended(transcript, happened, scene, doneLines(scene.surface, event.result, 0))
      return [{ ...apart(after), turns: after.turns + 1 }, rows]
    }
    case "done": {
      const subject = transcript.turns > 0 ? "session " : ""
      const last = doneLines(scene.surface, event.result, transcript.unknownLines, subject)
      const [after, rows] = ended(transcript, happened, scene, last)
      return [{ ...after, isDone: true }, rows]
    }
    default:
      return unknown(transcript, event)
  }
}

/** Also an event of a later version of the library. */
const unknown = (transcript: Transcript, _?: never): Drawn => [
  { ...transcript, unknownLines: transcript.unknownLines + 1 },
  ""
]

const mostEdits = 100

const withEdits = (transcript: Transcript, { toolId, edits }: ToolUseEvent): Transcript => {
  if (edits === undefined || edits.length === 0) return transcript
  const all = new Map(transcript.edits).set(toolId, edits)
  const [oldest] = all.keys()
  if (all.size > mostEdits && oldest !== undefined) all.delete(oldest)
  return { ...transcript, edits: all }
}

/** Starts a line for the status of the running tool, which is wiped later. */
const toolStarted = (before: Transcript, scene: Scene): Drawn => {
  const transcript = { ...before, progress: undefined }
  if (!scene.surface.live) return [transcript, ""]
  const [page, text] = Page.finish(transcript.page)
  return [{ ...transcript, page }, text]
}

type Happened = ReadonlyArray<AgentAction>

const endedActions = (happened: Happened): ReadonlyArray<Action> =>
  happened.flatMap((action) => (action.type === "action" && action.phase === "completed" ? [action] : []))

const toolEnded = (before: Transcript, happened: Happened, event: ToolResultEvent, scene: Scene): Drawn => {
  const edits = new Map(before.edits)
  edits.delete(event.toolId)
  const transcript = { ...before, edits }
  const summary = event.isError ? transcript.denied : transcript.planned
  const [action] = endedActions(happened)
  if (action === undefined || summary.has(event.toolId)) return [transcript, ""]
  const indent = depthOf(transcript, action.parentId) * 2
  const waitedMs = waitedFor(transcript.waits, event.toolId)
  const content = endedTool(scene.surface, action, labelIn(transcript, action), event.output, indent, waitedMs)
  const changed = event.isError ? [] : (before.edits.get(event.toolId) ?? event.edits ?? [])
  return lines(transcript, scene, action.parentId, [...content, ...diffRows(scene.surface, changed, indent)])
}

/** The run is over: open tool calls will not finish. */
const unendedTools = (transcript: Transcript, happened: Happened, scene: Scene): Drawn => {
  const unended = endedActions(happened).map((action) =>
    unendedTool(scene.surface, action, labelIn(transcript, action))
  )
  return lines(transcript, scene, undefined, unended)
}

const ended = (transcript: Transcript, happened: Happened, scene: Scene, content: ReadonlyArray<string>): Drawn => {
  const [before, toolsText] = unendedTools({ ...transcript, progress: undefined, edits: new Map() }, happened, scene)
  const [after, lastText] = paragraph(before, content)
  return [after, toolsText + lastText]
}

const apart = (transcript: Transcript): Transcript => ({ ...transcript, page: { ...transcript.page, block: "none" } })

/** Shown in the footer, and written when it is decided. */
const requested = (transcript: Transcript, event: PermissionRequestEvent, { now }: Scene): Drawn => [
  {
    ...transcript,
    asked: new Map(transcript.asked).set(event.requestId, event),
    waits: startWait(transcript.waits, event, now)
  },
  ""
]

const withDenied = ({ denied }: Transcript, toolId: string): Transcript["denied"] => new Set(denied).add(toolId)

const decided = (transcript: Transcript, event: PermissionDecisionEvent, scene: Scene): Drawn => {
  const open = new Map(transcript.asked)
  open.delete(event.requestId)
  const request = transcript.asked.get(event.requestId)
  const line = decisionLine(scene.surface, request, event)
  const isDenied = event.decision === "deny" && request !== undefined
  const denied = isDenied ? withDenied(transcript, request.toolId) : transcript.denied
  const waits = decidedAt(transcript.waits, request, event, scene.now)
  const next = { ...transcript, asked: open, waits, denied }
  const decision = line === undefined ? [] : [line]
  const summary =
    request === undefined || event.by === "rule" || event.by === "memory" ? [] : requestLines(scene.surface, request)
  return summary.length === 0
    ? lines(next, scene, event.parentToolId, decision)
    : paragraph(next, [...summary, ...decision])
}

const session = (transcript: Transcript, event: SessionEvent, scene: Scene): Drawn => {
  const { session: known } = transcript
  const next = { ...transcript, session: event }
  const isNews = known?.sessionId !== event.sessionId || known.model !== event.model
  if (!isNews) return [next, ""]
  const [after, text] = paragraph(next, sessionRows(scene.surface, transcript.agent, event))
  return [apart(after), text]
}

const shownNestedLines = 6

type TextEvent = Extract<AgentEvent, { type: "text" | "thinking" }>

const text = (transcript: Transcript, event: TextEvent, scene: Scene): Drawn => {
  const { surface } = scene
  if (event.text === "") return [transcript, ""]
  if (event.parentToolId !== undefined) return nestedText(transcript, event.parentToolId, event.text, scene)
  const main = { ...transcript, group: undefined, progress: undefined }
  if (event.type === "text" && surface.live) return markdown(main, event.text, scene)
  // The line feed of a trailing carriage return may be in the next piece.
  const piece = harmless(event.text.replace(/\r$/, ""))
  const [page, rows] =
    event.type === "text"
      ? Page.stream(main.page, "text", piece, (part) => part, "")
      : Page.stream(main.page, "thinking", piece, (part) => paint(surface, "dim", part), surface.live ? "" : "> ")
  return [{ ...main, page }, rows]
}

const nestedText = (transcript: Transcript, parent: string, content: string, scene: Scene): Drawn => {
  const all = harmless(content)
    .split("\n")
    .filter((line) => line.trim() !== "")
  const room = roomOf(scene.surface) - depthOf(transcript, parent) * 2
  const summary = all.length > shownNestedLines ? [...all.slice(0, shownNestedLines - 1), "…"] : all
  const dimmed = summary.map((line) => paint(scene.surface, "dim", clip(line.replaceAll("\t", "  "), room)))
  return lines(transcript, scene, parent, dimmed)
}

/** A plan that a call states in prose is shown with the request to approve it. */
const planned = (transcript: Transcript, event: PlanEvent, scene: Scene): Drawn => {
  const { entries, text: prose, toolId, parentToolId } = event
  if (entries === undefined) {
    return prose === undefined || toolId !== undefined
      ? [transcript, ""]
      : paragraph(transcript, harmless(prose).trimEnd().split("\n"))
  }
  const steps = stepsOf(entries)
  const isMain = parentToolId === undefined
  const next = {
    ...transcript,
    progress: planProgress(entries),
    steps: isMain ? steps : transcript.steps,
    planned: toolId === undefined ? transcript.planned : new Set(transcript.planned).add(toolId)
  }
  return lines(next, scene, parentToolId, planLines(scene.surface, entries, !isMain || transcript.steps === steps))
}

const notice = (transcript: Transcript, event: NoticeEvent, scene: Scene): Drawn => {
  if (event.kind === "progress") return [{ ...transcript, progress: oneLine(event.message) }, ""]
  const toolId = event.kind === "permission_denied" ? event.data?.["toolId"] : undefined
  if (typeof toolId !== "string") return noticed(transcript, event, scene)
  // Already shown as a decision.
  if (transcript.denied.has(toolId)) return [transcript, ""]
  return noticed({ ...transcript, denied: withDenied(transcript, toolId) }, event, scene)
}

const noticed = (before: Transcript, event: NoticeEvent, scene: Scene): Drawn => {
  const line = noticeLine(scene.surface, event)
  const delayMs = event.data?.["delayMs"]
  const isWait = event.kind === "retry" && typeof delayMs === "number" && delayMs > 0 && scene.now !== undefined
  const transcript = isWait ? { ...before, waitsUntil: (scene.now ?? 0) + delayMs } : before
  return line === undefined ? [transcript, ""] : lines(transcript, scene, event.parentToolId, [line])
}
