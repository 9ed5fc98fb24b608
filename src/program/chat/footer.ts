/**
 * The footer below the transcript of a chat, in this order: running tools, requests or queued texts, the prompt, the status row;
 * pure. At most half of the screen; a request may take nearly all of it.
 */
import { CliOutput } from "effect/cli"
import { formatElapsed } from "../../contract/text/amounts.ts"
import { graphemesOf } from "../../contract/text/graphemes.ts"
import { harmless } from "../../contract/text/harmless.ts"
import type { Transcript } from "../blocks.ts"
import { clip } from "../format.ts"
import { noText } from "../markdown/openText.ts"
import { answerRows, statusBelow, waitText } from "../status.ts"
import { marks, paint, type Surface, spinner } from "../style.ts"
import type { Chat } from "./chatState.ts"
import type { Editor } from "./editor.ts"
import type { Panel } from "./panel.ts"
import { requestFooter } from "./requestFooter.ts"
import { headRows, requestHead } from "./requestRows.ts"
import type { Footer } from "./screen.ts"
import { statusRow } from "./statusRow.ts"
import { deliveries, type Waiting } from "./waiting.ts"

const shownRows = 8

/** Wraps a typed text into rows of `width` cells, and locates its cursor. */
const layOut = ({ text, cursor }: Editor, width: number) => {
  const rows: Array<string> = [""]
  let cells = 0
  let at = { row: 0, column: 0 }
  for (const { segment, index } of graphemesOf(text)) {
    const visible = segment === "\n" ? "" : harmless(segment)
    const segmentCells = CliOutput.displayWidth(visible)
    if (cells + segmentCells > width) {
      rows.push("")
      cells = 0
    }
    if (index === cursor) at = { row: rows.length - 1, column: cells }
    if (segment === "\n") {
      rows.push("")
      cells = 0
    } else {
      rows.push((rows.pop() ?? "") + visible)
      cells += segmentCells
    }
  }
  return { rows, cursor: cursor === text.length ? { row: rows.length - 1, column: cells } : at }
}

const editorFooter = (editor: Editor, label: string, surface: Surface, most = shownRows): Footer => {
  const indent = CliOutput.displayWidth(label) + 1
  const { rows, cursor } = layOut(editor, Math.max(4, surface.columns - indent - 1))
  const from = Math.max(0, Math.min(cursor.row - most + 1, rows.length - most))
  const visible = rows.slice(from, from + most)
  const mark = paint(surface, "cyan", label)
  const lines = visible.map((row, index) => (index === 0 ? `${mark} ${row}` : `${" ".repeat(indent)}${row}`))
  return { lines, row: cursor.row - from, column: indent + cursor.column }
}

const below = (above: ReadonlyArray<string>, { lines, row, column }: Footer): Footer => ({
  lines: [...above, ...lines],
  row: row + above.length,
  column
})

const mostTools = 3

const doing = (chat: Chat, { isDone, session, page, open }: Transcript): string => {
  if (isDone) return "leaving"
  if (chat.isInterrupted || chat.isLeaving) return "stopping"
  if (session === undefined) return "starting"
  return page.block === "text" || open !== noText ? "writing" : "thinking"
}

const atMost = (rows: ReadonlyArray<string>, surface: Surface, tools: number): ReadonlyArray<string> => {
  if (tools <= mostTools) return rows
  const visible = rows.slice(0, mostTools - 1)
  return [...visible, paint(surface, "dim", `  … and ${tools - visible.length} more`)]
}

const activityRows = (chat: Chat, transcript: Transcript, surface: Surface, now: number): ReadonlyArray<string> => {
  const isEnding = chat.isInterrupted || chat.isLeaving
  if (!chat.isBusy && !isEnding) return []
  const tools = transcript.actions.open.size
  if (tools > 0 && !isEnding) return atMost(statusBelow(transcript, surface, now, false), surface, tools)
  const since = formatElapsed(now - (chat.busySince ?? transcript.lastEventAt ?? now))
  const progress = transcript.progress === undefined ? "" : ` · ${transcript.progress}`
  const hint = isEnding ? "" : " · Ctrl-C interrupts"
  const wait = isEnding ? undefined : waitText(transcript, now)
  const words = `${wait ?? `${doing(chat, transcript)}  ${since}`}${progress}${hint}`
  return [`${paint(surface, "cyan", spinner(now))} ${paint(surface, "dim", clip(words, surface.columns - 3))}`]
}

type KeysPanel = Extract<Panel, { readonly _tag: "Keys" }>

export const replyHint = ({ request, at, problem }: Extract<Panel, { readonly _tag: "Reply" }>) => {
  const question = request.questions[at]
  const count = request.questions.length > 1 ? `${at + 1} of ${request.questions.length}: ` : ""
  const numbers = question?.multiple === true ? "numbers" : "a number"
  const hint = `${numbers}${question?.freeText === true ? ", or a text" : ""}; Enter alone leaves it to the agent`
  return { problem, question: `${count}${question?.question ?? ""}`, hint }
}

const editorPanel = (panel: Exclude<Panel, KeysPanel>, isOnly: boolean, agent: string, surface: Surface): Footer => {
  const { columns } = surface
  const room = columns - 1
  if (panel._tag === "Message") {
    const head = headRows(requestHead(agent, panel.request), room).map((row) => paint(surface, "bold", row))
    return below(head, editorFooter(panel.editor, "message for the agent:", surface))
  }
  const { problem, question, hint } = replyHint(panel)
  const line =
    problem === undefined ? paint(surface, "dim", clip(hint, room)) : paint(surface, "yellow", clip(problem, room))
  const isNamed = panel.request.questions.length > 1 || !isOnly
  const above = [
    ...(isNamed ? [paint(surface, "bold", clip(harmless(question).replaceAll("\n", " "), room))] : []),
    line
  ]
  return below(above, editorFooter(panel.editor, marks.ask, surface))
}

export interface FooterScene {
  readonly surface: Surface
  readonly rows: number
  readonly now: number
  /** Shown as `~`. */
  readonly home?: string
}

const atEnd = (lines: ReadonlyArray<string>, columns: number): Footer => ({
  lines,
  row: lines.length - 1,
  column: Math.min(CliOutput.displayWidth(lines.at(-1) ?? ""), columns - 1)
})

/** A request that one key decides, above a begun text. */
const keysPanel = (panel: KeysPanel, chat: Chat, agent: string, scene: FooterScene, gap: number) => {
  const { surface } = scene
  const draft = chat.draft.text === "" ? undefined : editorFooter(chat.draft, marks.prompt, surface)
  const count = [1, chat.requests.length] as const
  const taken = gap + (draft?.lines.length ?? 0)
  const [next, lines] = requestFooter(panel, { ...scene, agent, count, taken })
  return [next, draft === undefined ? atEnd(lines, surface.columns) : below(lines, draft)] as const
}

/** Returns the footer, and the chat once it is on the screen. */
export const withFooter = (
  chat: Chat,
  transcript: Transcript,
  scene: FooterScene
): { readonly chat: Chat; readonly footer: Footer | undefined } => {
  const { panel, suspension } = chat
  if (suspension !== undefined) return { chat, footer: undefined }
  const answer = answerRows(transcript, scene.surface, scene.rows)
  const gap = answer.length > 0 ? [...answer, ""] : transcript.page.feeds === 2 ? [] : [""]
  if (panel?._tag !== "Keys") return { chat, footer: footerOf(chat, transcript, scene, gap) }
  const [next, footer] = keysPanel(panel, chat, transcript.agent, scene, gap.length)
  return { chat: { ...chat, panel: next }, footer: below(gap, footer) }
}

const waitingRow = (surface: Surface, { text, delivery }: Waiting): string => {
  const state = delivery === undefined ? "is being sent" : deliveries[delivery]
  const words = harmless(text).replace(/\s+/g, " ")
  const room = Math.max(8, surface.columns - 1 - 2 - state.length - 3)
  return `${paint(surface, "cyan", marks.prompt)} ${clip(words, room)}${paint(surface, "dim", ` · ${state}`)}`
}

const waitingRows = ({ waiting }: Chat, surface: Surface, most: number): ReadonlyArray<string> => {
  const rows = waiting.map((one) => waitingRow(surface, one))
  if (rows.length <= most) return rows
  const visible = Math.max(0, most - 1)
  const more = paint(surface, "dim", `  … and ${rows.length - visible} more`)
  return [...(most > 0 ? [more] : []), ...rows.slice(rows.length - visible)]
}

const candidateRows = ({ candidates }: Chat, surface: Surface): ReadonlyArray<string> =>
  candidates.length === 0
    ? []
    : [paint(surface, "dim", clip(`  ${harmless(candidates.join("  "))}`, surface.columns - 1))]

const footerOf = (
  chat: Chat,
  transcript: Transcript,
  { surface, now, rows, home }: FooterScene,
  gap: ReadonlyArray<string>
): Footer | undefined => {
  const { columns } = surface
  const { panel } = chat
  if (panel !== undefined && panel._tag !== "Keys") {
    return below(gap, editorPanel(panel, chat.requests.length === 1, transcript.agent, surface))
  }
  const activity = activityRows(chat, transcript, surface, now)
  if (chat.isLeaving) return activity.length === 0 ? undefined : atEnd([...gap, ...activity], columns)
  const candidates = candidateRows(chat, surface)
  // Half of the screen, less the gap, one row of the prompt and the status row.
  const room = Math.max(1, Math.floor(rows / 2) - gap.length - 2 - candidates.length)
  const visible = activity.slice(0, room)
  const waiting = waitingRows(chat, surface, room - visible.length)
  const above = [...gap, ...visible, ...waiting]
  const most = 1 + Math.max(0, Math.min(7, room - visible.length - waiting.length))
  const prompt = editorFooter(chat.draft, marks.prompt, surface, most)
  const status = statusRow(transcript, chat.facts, surface, home)
  const { lines, ...cursor } = below(above, prompt)
  return { lines: [...lines, ...candidates, status], ...cursor }
}
