/** The state of a transcript, and how whole lines are added to it: after a blank line, or under their sub-agent; pure. */
import type { Action } from "../bridge/actions/AgentAction.ts"
import { type ActionsState, findAction, noActionsYet } from "../bridge/actions/step.ts"
import type { ToolLabel } from "../bridge/actions/tools.ts"
import type { SessionEvent } from "../contract/AgentEvent.ts"
import type { PermissionDecisionEvent, PermissionRequestEvent } from "../contract/SessionEvent.ts"
import type { FileEdit } from "../contract/ToolEvent.ts"
import { addText, endText, noText, type OpenText, type Written } from "./markdown/openText.ts"
import * as Page from "./page.ts"
import { marks, paint, roomOf, type Surface } from "./style.ts"
import { spokenLabel, toolLabel } from "./toolLines.ts"

interface Wait {
  /** Since when an open request waits; undefined without a clock, as in a replay. */
  readonly since: number | undefined
  readonly ms: number
}

export type Waits = ReadonlyMap<string, Wait>
const noWaits: Waits = new Map()
/** Bounds the number of calls; old ones are not looked up again. */
const most = 1000

const put = (waits: Waits, toolId: string, wait: Wait): Waits => {
  const next = new Map(waits).set(toolId, wait)
  const [oldest] = next.keys()
  if (next.size > most && oldest !== undefined) next.delete(oldest)
  return next
}

export const startWait = (waits: Waits, { toolId }: PermissionRequestEvent, now: number | undefined): Waits =>
  put(waits, toolId, { since: now, ms: waits.get(toolId)?.ms ?? 0 })

/** Decisions by a rule take no time of a person. */
export const decidedAt = (
  waits: Waits,
  request: PermissionRequestEvent | undefined,
  { by }: PermissionDecisionEvent,
  now: number | undefined
): Waits => {
  const wait = request === undefined ? undefined : waits.get(request.toolId)
  if (request === undefined || wait === undefined) return waits
  const isPerson = by === "caller" || by === "deadline"
  const ms = isPerson && now !== undefined && wait.since !== undefined ? Math.max(0, now - wait.since) : 0
  return put(waits, request.toolId, { since: undefined, ms: wait.ms + ms })
}

export const waitedFor = (waits: Waits, toolId: string): number => waits.get(toolId)?.ms ?? 0

export interface Transcript {
  readonly agent: string
  readonly page: Page.Page
  /** On a terminal: the part of the answer that is not written yet. */
  readonly open: OpenText
  readonly session: SessionEvent | undefined
  /** Tool calls: the running ones, and those that events of a sub-agent refer to after they have ended. */
  readonly actions: ActionsState
  readonly asked: ReadonlyMap<string, PermissionRequestEvent>
  /** Time that each call waited for a person, by its id; not part of the duration of the call. */
  readonly waits: Waits
  readonly edits: ReadonlyMap<string, ReadonlyArray<FileEdit>>
  /** Calls whose denial was shown: their failure is not shown again. */
  readonly denied: ReadonlySet<string>
  /** Calls whose plan was shown: their success is not shown again. */
  readonly planned: ReadonlySet<string>
  /** The steps of the main agent's plan, as `stepsOf` encodes them. */
  readonly steps: string | undefined
  readonly group: string | undefined
  readonly progress: string | undefined
  /** End of a wait that the agent has announced, in ms. */
  readonly waitsUntil: number | undefined
  readonly unknownLines: number
  readonly turns: number
  readonly isDone: boolean
  readonly lastEventAt: number | undefined
}

/** The surface and time of a step; `now` is undefined in a replay. */
export interface Scene {
  readonly surface: Surface
  readonly now: number | undefined
}

export const begin = (agent: string, now?: number): Transcript => ({
  agent,
  page: Page.empty,
  open: noText,
  session: undefined,
  actions: noActionsYet,
  asked: new Map(),
  waits: noWaits,
  edits: new Map(),
  denied: new Set(),
  planned: new Set(),
  steps: undefined,
  group: undefined,
  progress: undefined,
  waitsUntil: undefined,
  unknownLines: 0,
  turns: 0,
  isDone: false,
  lastEventAt: now
})

export type Drawn = readonly [Transcript, string]

/** The sub-agents that an event is nested in, innermost first. */
const chainOf = ({ actions }: Transcript, parent: string | undefined): ReadonlyArray<string> => {
  const chain: Array<string> = []
  for (let id = parent; id !== undefined && !chain.includes(id); id = findAction(actions, id)?.parentId) chain.push(id)
  return chain
}

export const depthOf = (transcript: Transcript, parent: string | undefined): number =>
  chainOf(transcript, parent).length

export const labelIn = ({ session }: Transcript, action: Action): ToolLabel =>
  spokenLabel(action, session?.workingDirectory)

export const paragraph = (transcript: Transcript, content: ReadonlyArray<string>): Drawn => {
  const [page, text] = Page.paragraph(transcript.page, content)
  return [{ ...transcript, page, group: undefined }, text]
}

const textRows = (transcript: Transcript, open: OpenText, pieces: ReadonlyArray<Written>): Drawn => {
  let { page } = transcript
  let text = ""
  for (const { rows, isContinued } of pieces) {
    const [next, more] = Page.textRows(page, rows, isContinued)
    page = next
    text += more
  }
  return [{ ...transcript, page, open }, text]
}

export const markdown = (transcript: Transcript, piece: string, { surface }: Scene): Drawn => {
  const [open, pieces] = addText(transcript.open, piece, surface)
  return textRows(transcript, open, pieces)
}

/** Writes the rest of the answer before something else. */
export const closeText = (transcript: Transcript, { surface }: Scene): Drawn =>
  transcript.open === noText ? [transcript, ""] : textRows(transcript, noText, endText(transcript.open, surface))

export const lines = (
  transcript: Transcript,
  scene: Scene,
  parent: string | undefined,
  content: ReadonlyArray<string>
): Drawn => {
  if (content.length === 0) return [transcript, ""]
  const { surface } = scene
  const indentation = (depth: number) => paint(surface, "dim", "│ ".repeat(depth))
  const chain = chainOf(transcript, parent)
  const isNamed = parent === undefined || chainOf(transcript, transcript.group).includes(parent)
  const action = parent === undefined ? undefined : findAction(transcript.actions, parent)
  const room = roomOf(surface) - chain.length * 2
  const label = action === undefined ? "sub-agent" : toolLabel(surface, labelIn(transcript, action), room)
  const header = isNamed ? [] : [`${indentation(chain.length - 1)}${marks.group} ${label}`]
  const [page, text] = Page.lines(transcript.page, [
    ...header,
    ...content.map((line) => indentation(chain.length) + line)
  ])
  return [{ ...transcript, page, group: parent }, text]
}
