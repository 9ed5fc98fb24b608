/**
 * Draws a run for people: a pure step from state, event and time to the text to write. Blocks (text, thinking, lines) are
 * separated by a blank line; the work of a sub-agent is indented under a line with its name.
 */
import type { AgentEvent, NoticeEvent, PlanEvent, SessionEvent } from "../contract/AgentEvent.ts"
import type { PermissionDecisionEvent, PermissionRequestEvent } from "../contract/SessionEvent.ts"
import { harmless } from "../text/harmless.ts"
import { answerLines, decisionLine, questionLines, requestLines } from "./askLines.ts"
import { type Drawn, depthOf, lines, paragraph, type Scene, type Transcript } from "./blocks.ts"
import { doneLines, errorLines, noticeLine, sessionLine, usageText } from "./eventLines.ts"
import { clip, oneLine } from "./format.ts"
import * as Page from "./page.ts"
import { planLines, planProgress, stepsOf } from "./planLines.ts"
import { paint, roomOf } from "./style.ts"
import { endedTool, toolOf, unendedTool } from "./toolLines.ts"

export const draw = (before: Transcript, event: AgentEvent, scene: Scene): Drawn => {
  const transcript = { ...before, lastEventAt: scene.now }
  switch (event.type) {
    case "session":
      return session(transcript, event, scene)
    case "text":
    case "thinking":
      return text(transcript, event, scene)
    case "tool_use":
      return toolUse(transcript, event, scene)
    case "tool_result": {
      const tool = transcript.tools.get(event.toolId)
      const open = new Map(transcript.open)
      open.delete(event.toolId)
      const parent = tool?.parentToolId ?? event.parentToolId
      const shown = event.isError ? transcript.denied : transcript.planned
      if (shown.has(event.toolId)) return [{ ...transcript, open }, ""]
      const indent = depthOf(transcript.tools, parent) * 2
      return lines({ ...transcript, open }, scene, parent, endedTool(scene.surface, tool, event, scene.now, indent))
    }
    case "plan":
      return planned(transcript, event, scene)
    case "notice":
      return notice(transcript, event, scene)
    case "usage":
      // Only for the status; the last line has the sum.
      return [{ ...transcript, progress: usageText(event.usage, event.totalCostUsd) }, ""]
    case "unknown":
      return [{ ...transcript, unknownLines: transcript.unknownLines + 1 }, ""]
    case "error": {
      const [ended, toolsText] = endTools(transcript, scene)
      // The last line says so, and stopping a run on purpose is not an error.
      if (event.category === "aborted") return [ended, toolsText]
      const [after, errorText] = paragraph(ended, errorLines(scene.surface, event))
      return [after, toolsText + errorText]
    }
    case "permission_request":
      return requested(transcript, event)
    case "permission_decision":
      return decided(transcript, event, scene)
    case "question":
      return paragraph(transcript, questionLines(scene.surface, event))
    case "question_answer":
      return lines(transcript, scene, event.parentToolId, answerLines(scene.surface, event))
    case "turn_done": {
      const [after, written] = ended(transcript, scene, doneLines(scene.surface, event.result, 0))
      return [{ ...apart(after), turns: after.turns + 1 }, written]
    }
    case "done": {
      const subject = transcript.turns > 0 ? "session " : ""
      const last = doneLines(scene.surface, event.result, transcript.unknownLines, subject)
      const [after, written] = ended(transcript, scene, last)
      return [{ ...after, isDone: true }, written]
    }
    default:
      return later(transcript, event)
  }
}

/** An event of a later version of the library. */
const later = (transcript: Transcript, _: never): Drawn => [
  { ...transcript, unknownLines: transcript.unknownLines + 1 },
  ""
]

/** The run is over: the tool calls that are still open will not finish. */
const endTools = (transcript: Transcript, scene: Scene): Drawn => {
  const unended = [...transcript.open.values()].map((tool) => unendedTool(scene.surface, tool, scene.now))
  return lines({ ...transcript, open: new Map() }, scene, undefined, unended)
}

const ended = (transcript: Transcript, scene: Scene, content: ReadonlyArray<string>): Drawn => {
  const [before, toolsText] = endTools({ ...transcript, progress: undefined }, scene)
  const [after, lastText] = paragraph(before, content)
  return [after, toolsText + lastText]
}

/** Puts a blank line before the next lines. */
const apart = (transcript: Transcript): Transcript => ({ ...transcript, page: { ...transcript.page, block: "none" } })

/** Written once it is decided; until then it is in the footer. */
const requested = (transcript: Transcript, event: PermissionRequestEvent): Drawn => {
  return [{ ...transcript, asked: new Map(transcript.asked).set(event.requestId, event) }, ""]
}

const withDenied = ({ denied }: Transcript, toolId: string): Transcript["denied"] => new Set(denied).add(toolId)

const decided = (transcript: Transcript, event: PermissionDecisionEvent, scene: Scene): Drawn => {
  const asked = new Map(transcript.asked)
  asked.delete(event.requestId)
  const request = transcript.asked.get(event.requestId)
  const line = decisionLine(scene.surface, request, event)
  const isDenied = event.decision === "deny" && request !== undefined
  const denied = isDenied ? withDenied(transcript, request.toolId) : transcript.denied
  const next = { ...transcript, asked, denied }
  const decision = line === undefined ? [] : [line]
  const shown =
    request === undefined || event.by === "rule" || event.by === "memory" ? [] : requestLines(scene.surface, request)
  return shown.length === 0
    ? lines(next, scene, event.parentToolId, decision)
    : paragraph(next, [...shown, ...decision])
}

const session = (transcript: Transcript, event: SessionEvent, scene: Scene): Drawn => {
  const { session: known } = transcript
  const next = { ...transcript, session: event }
  const isNews = known?.sessionId !== event.sessionId || known.model !== event.model
  if (!isNews) return [next, ""]
  const [after, text] = paragraph(next, [sessionLine(scene.surface, transcript.agent, event)])
  return [apart(after), text]
}

const shownNestedLines = 6

const text = (
  transcript: Transcript,
  event: Extract<AgentEvent, { type: "text" | "thinking" }>,
  scene: Scene
): Drawn => {
  const { surface } = scene
  if (event.text === "") return [transcript, ""]
  if (event.parentToolId !== undefined) return nestedText(transcript, event.parentToolId, event.text, scene)
  const main = { ...transcript, group: undefined, progress: undefined }
  // The line feed of a trailing carriage return may be in the next piece.
  const piece = harmless(event.text.replace(/\r$/, ""))
  const [page, written] =
    event.type === "text"
      ? Page.stream(main.page, "text", piece, (part) => part, "")
      : Page.stream(main.page, "thinking", piece, (part) => paint(surface, "dim", part), surface.live ? "" : "> ")
  return [{ ...main, page }, written]
}

const nestedText = (transcript: Transcript, parent: string, content: string, scene: Scene): Drawn => {
  const all = harmless(content)
    .split("\n")
    .filter((line) => line.trim() !== "")
  const room = roomOf(scene.surface) - depthOf(transcript.tools, parent) * 2
  const shown = all.length > shownNestedLines ? [...all.slice(0, shownNestedLines - 1), "…"] : all
  const dimmed = shown.map((line) => paint(scene.surface, "dim", clip(line.replaceAll("\t", "  "), room)))
  return lines(transcript, scene, parent, dimmed)
}

const toolUse = (transcript: Transcript, event: Extract<AgentEvent, { type: "tool_use" }>, scene: Scene): Drawn => {
  const tool = toolOf(event, scene.now, transcript.session?.workingDirectory)
  const tools = new Map(transcript.tools).set(event.toolId, tool)
  const open = new Map(transcript.open).set(event.toolId, tool)
  const next = { ...transcript, tools, open, progress: undefined }
  // Makes room for the status of the running tool, which is wiped later.
  if (!scene.surface.live) return [next, ""]
  const [page, text] = Page.finish(next.page)
  return [{ ...next, page }, text]
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
  if (typeof toolId === "string") {
    // Already shown as a decision.
    if (transcript.denied.has(toolId)) return [transcript, ""]
    return noticed({ ...transcript, denied: withDenied(transcript, toolId) }, event, scene)
  }
  return noticed(transcript, event, scene)
}

const noticed = (transcript: Transcript, event: NoticeEvent, scene: Scene): Drawn => {
  const line = noticeLine(scene.surface, event)
  return line === undefined ? [transcript, ""] : lines(transcript, scene, event.parentToolId, [line])
}
