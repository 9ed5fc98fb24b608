/**
 * How a run is drawn for people: a pure step from state, event and time to the text to write. Blocks (text, thinking,
 * lines) are parted by a blank line; what a sub-agent does stands indented under the line that names it.
 */
import type { AgentEvent, NoticeEvent, SessionEvent } from "../AgentEvent.ts"
import { harmless } from "../harmless.ts"
import { doneLines, errorLines, noticeLine, sessionLine } from "./eventLines.ts"
import { clip, oneLine } from "./format.ts"
import * as Page from "./page.ts"
import { marks, paint, roomOf, type Surface } from "./style.ts"
import { endedTool, type Tool, toolLabel, toolOf, unendedTool } from "./toolLines.ts"

export interface Transcript {
  /** The name under which the agent was asked for. */
  readonly agent: string
  readonly page: Page.Page
  readonly session: SessionEvent | undefined
  /** Calls that have not ended, in order. */
  readonly open: ReadonlyMap<string, Tool>
  /** Every call so far: a sub-agent's events name theirs, also after it has ended. */
  readonly tools: ReadonlyMap<string, Tool>
  /** The sub-agent whose lines are being written. */
  readonly group: string | undefined
  /** What the agent does besides its answer. */
  readonly progress: string | undefined
  readonly unknownLines: number
  readonly isDone: boolean
  readonly lastEventAt: number | undefined
}

/** What a step is drawn on, and when; no time where no clock runs. */
export interface Scene {
  readonly surface: Surface
  readonly now: number | undefined
}

export const begin = (agent: string, now?: number): Transcript => ({
  agent,
  page: Page.empty,
  session: undefined,
  open: new Map(),
  tools: new Map(),
  group: undefined,
  progress: undefined,
  unknownLines: 0,
  isDone: false,
  lastEventAt: now
})

type Drawn = readonly [Transcript, string]

export const draw = (before: Transcript, event: AgentEvent, scene: Scene): Drawn => {
  const transcript = { ...before, lastEventAt: scene.now }
  switch (event.type) {
    case "session":
      return session(transcript, event, scene)
    case "text":
    case "thinking":
      return words(transcript, event, scene)
    case "tool_use":
      return toolUse(transcript, event, scene)
    case "tool_result": {
      const tool = transcript.tools.get(event.toolId)
      const open = new Map(transcript.open)
      open.delete(event.toolId)
      const parent = tool?.parentToolId ?? event.parentToolId
      const indent = depthOf(transcript, parent) * 2
      return lines({ ...transcript, open }, scene, parent, endedTool(scene.surface, tool, event, scene.now, indent))
    }
    case "notice":
      return notice(transcript, event, scene)
    case "unknown":
      return [{ ...transcript, unknownLines: transcript.unknownLines + 1 }, ""]
    case "error": {
      const [ended, text] = endTools(transcript, scene)
      // The last line says it, and a run that was stopped on purpose is no error.
      if (event.category === "aborted") return [ended, text]
      const [after, told] = paragraph(ended, errorLines(scene.surface, event))
      return [after, text + told]
    }
    case "permission_request":
    case "permission_decision":
    case "question":
    case "question_answer":
    case "turn_done":
      return [transcript, ""]
    case "done": {
      const [ended, text] = endTools(transcript, scene)
      const [after, told] = paragraph(ended, doneLines(scene.surface, event.result, ended.unknownLines))
      return [{ ...after, isDone: true }, text + told]
    }
  }
}

/** The run is over: what is still open will not end any more. */
const endTools = (transcript: Transcript, scene: Scene): Drawn => {
  const unended = [...transcript.open.values()].map((tool) => unendedTool(scene.surface, tool, scene.now))
  return lines({ ...transcript, open: new Map() }, scene, undefined, unended)
}

const paragraph = (transcript: Transcript, told: ReadonlyArray<string>): Drawn => {
  const [page, text] = Page.paragraph(transcript.page, told)
  return [{ ...transcript, page, group: undefined }, text]
}

const session = (transcript: Transcript, event: SessionEvent, scene: Scene): Drawn => {
  const { session: known } = transcript
  const next = { ...transcript, session: event }
  const isNews = known?.sessionId !== event.sessionId || known.model !== event.model
  if (!isNews) return [next, ""]
  const [after, text] = paragraph(next, [sessionLine(scene.surface, transcript.agent, event)])
  // Whatever comes next stands apart from it.
  return [{ ...after, page: { ...after.page, block: "none" } }, text]
}

const shownNestedLines = 6

const words = (
  transcript: Transcript,
  event: Extract<AgentEvent, { type: "text" | "thinking" }>,
  scene: Scene
): Drawn => {
  const { surface } = scene
  if (event.text === "") return [transcript, ""]
  if (event.parentToolId !== undefined) return nestedWords(transcript, event.parentToolId, event.text, scene)
  const main = { ...transcript, group: undefined, progress: undefined }
  const text = harmless(event.text)
  const [page, written] =
    event.type === "text"
      ? Page.stream(main.page, "text", text, (part) => part, "")
      : Page.stream(main.page, "thinking", text, (part) => paint(surface, "dim", part), surface.live ? "" : "> ")
  return [{ ...main, page }, written]
}

const nestedWords = (transcript: Transcript, parent: string, text: string, scene: Scene): Drawn => {
  const all = harmless(text)
    .split("\n")
    .filter((line) => line.trim() !== "")
  const room = roomOf(scene.surface) - depthOf(transcript, parent) * 2
  const shown = all.length > shownNestedLines ? [...all.slice(0, shownNestedLines - 1), "…"] : all
  const dimmed = shown.map((line) => paint(scene.surface, "dim", clip(line.replaceAll("\t", "  "), room)))
  return lines(transcript, scene, parent, dimmed)
}

const toolUse = (transcript: Transcript, event: Extract<AgentEvent, { type: "tool_use" }>, scene: Scene): Drawn => {
  const tool = toolOf(event, scene.now, transcript.session?.workingDirectory)
  const tools = new Map(transcript.tools).set(event.toolId, tool)
  const open = new Map(transcript.open).set(event.toolId, tool)
  const next = { ...transcript, tools, open, progress: undefined }
  // Room for the status of the running tool; nothing of it stays.
  if (!scene.surface.live) return [next, ""]
  const [page, text] = Page.finish(next.page)
  return [{ ...next, page }, text]
}

const notice = (transcript: Transcript, event: NoticeEvent, scene: Scene): Drawn => {
  if (event.kind === "progress") return [{ ...transcript, progress: oneLine(event.message) }, ""]
  const line = noticeLine(scene.surface, event)
  return line === undefined ? [transcript, ""] : lines(transcript, scene, event.parentToolId, [line])
}

/** The sub-agents an event is nested in: the innermost first. */
const chainOf = (transcript: Transcript, parentToolId: string | undefined): ReadonlyArray<string> => {
  const chain: Array<string> = []
  for (let id = parentToolId; id !== undefined && !chain.includes(id); id = transcript.tools.get(id)?.parentToolId) {
    chain.push(id)
  }
  return chain
}

const depthOf = (transcript: Transcript, parentToolId: string | undefined): number =>
  chainOf(transcript, parentToolId).length

/** Whole lines, under the name of the sub-agent they belong to. */
const lines = (
  transcript: Transcript,
  scene: Scene,
  parent: string | undefined,
  told: ReadonlyArray<string>
): Drawn => {
  if (told.length === 0) return [transcript, ""]
  const { surface } = scene
  const indentation = (depth: number) => paint(surface, "dim", "│ ".repeat(depth))
  const chain = chainOf(transcript, parent)
  const isNamed = parent === undefined || chainOf(transcript, transcript.group).includes(parent)
  const tool = parent === undefined ? undefined : transcript.tools.get(parent)
  const label = tool === undefined ? "sub-agent" : toolLabel(surface, tool, roomOf(surface) - chain.length * 2)
  const header = isNamed ? [] : [`${indentation(chain.length - 1)}${marks.group} ${label}`]
  const [page, text] = Page.lines(transcript.page, [...header, ...told.map((line) => indentation(chain.length) + line)])
  return [{ ...transcript, page, group: parent }, text]
}
