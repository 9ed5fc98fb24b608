/** What a transcript knows, and how whole lines come into it: below a blank line, or under the sub-agent they are of; pure. */
import type { SessionEvent } from "../contract/AgentEvent.ts"
import type { PermissionRequestEvent } from "../contract/SessionEvent.ts"
import * as Page from "./page.ts"
import { marks, paint, roomOf, type Surface } from "./style.ts"
import { type Tool, toolLabel } from "./toolLines.ts"

export interface Transcript {
  /** The name under which the agent was asked for. */
  readonly agent: string
  readonly page: Page.Page
  readonly session: SessionEvent | undefined
  /** Calls that have not ended, in order. */
  readonly open: ReadonlyMap<string, Tool>
  /** Every call so far: a sub-agent's events name theirs, also after it has ended. */
  readonly tools: ReadonlyMap<string, Tool>
  /** Requests without an answer. */
  readonly asked: ReadonlyMap<string, PermissionRequestEvent>
  /** Calls whose denial was told: their failure says nothing new. */
  readonly denied: ReadonlySet<string>
  /** The sub-agent whose lines are being written. */
  readonly group: string | undefined
  /** What the agent does besides its answer. */
  readonly progress: string | undefined
  readonly unknownLines: number
  /** Turns that are over, of a live session. */
  readonly turns: number
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
  asked: new Map(),
  denied: new Set(),
  group: undefined,
  progress: undefined,
  unknownLines: 0,
  turns: 0,
  isDone: false,
  lastEventAt: now
})

export type Drawn = readonly [Transcript, string]

type Tools = Transcript["tools"]

/** The sub-agents an event is nested in: the innermost first. */
const chainOf = (tools: Tools, parentToolId: string | undefined): ReadonlyArray<string> => {
  const chain: Array<string> = []
  for (let id = parentToolId; id !== undefined && !chain.includes(id); id = tools.get(id)?.parentToolId) {
    chain.push(id)
  }
  return chain
}

export const depthOf = (tools: Tools, parentToolId: string | undefined): number => chainOf(tools, parentToolId).length

export const paragraph = (transcript: Transcript, told: ReadonlyArray<string>): Drawn => {
  const [page, text] = Page.paragraph(transcript.page, told)
  return [{ ...transcript, page, group: undefined }, text]
}

/** Whole lines, under the name of the sub-agent they belong to. */
export const lines = (
  transcript: Transcript,
  scene: Scene,
  parent: string | undefined,
  told: ReadonlyArray<string>
): Drawn => {
  if (told.length === 0) return [transcript, ""]
  const { surface } = scene
  const indentation = (depth: number) => paint(surface, "dim", "│ ".repeat(depth))
  const chain = chainOf(transcript.tools, parent)
  const isNamed = parent === undefined || chainOf(transcript.tools, transcript.group).includes(parent)
  const tool = parent === undefined ? undefined : transcript.tools.get(parent)
  const label = tool === undefined ? "sub-agent" : toolLabel(surface, tool, roomOf(surface) - chain.length * 2)
  const header = isNamed ? [] : [`${indentation(chain.length - 1)}${marks.group} ${label}`]
  const [page, text] = Page.lines(transcript.page, [...header, ...told.map((line) => indentation(chain.length) + line)])
  return [{ ...transcript, page, group: parent }, text]
}
